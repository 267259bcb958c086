# libFuzzer target; built with SMARTCLI_FUZZ=ON and clang.
#   terminal_fuzz -max_len=65536 -dict=terminal.dict corpus/terminal
add_executable(terminal_fuzz ${CMAKE_CURRENT_LIST_DIR}/terminal_fuzz.cpp)
target_link_libraries(terminal_fuzz PRIVATE terminal)
target_compile_options(terminal_fuzz PRIVATE -fsanitize=fuzzer)
target_link_options(terminal_fuzz PRIVATE -fsanitize=fuzzer)
