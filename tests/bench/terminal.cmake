pkg_check_modules(VTERM IMPORTED_TARGET vterm)
pkg_check_modules(TSM IMPORTED_TARGET libtsm)
if(VTERM_FOUND AND TSM_FOUND)
  add_executable(terminal_bench ${CMAKE_CURRENT_LIST_DIR}/terminal_bench.cpp ${CMAKE_CURRENT_LIST_DIR}/streams.cpp
                                ${CMAKE_CURRENT_LIST_DIR}/peers.cpp)
  target_link_libraries(terminal_bench PRIVATE terminal PkgConfig::VTERM PkgConfig::TSM nlohmann_json::nlohmann_json)
  target_compile_definitions(terminal_bench PRIVATE
    SMARTCLI_CASES="${CMAKE_CURRENT_LIST_DIR}/../golden/cases" SMARTCLI_BENCH="${CMAKE_CURRENT_LIST_DIR}")
endif()
