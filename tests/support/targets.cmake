# smartcli_fuzz(NAME SOURCE LIBRARY...): a libFuzzer target NAME_fuzz; its kept corpus is tests/fuzz/corpus/NAME.
function(smartcli_fuzz name source)
  add_executable(${name}_fuzz ${source})
  target_link_libraries(${name}_fuzz PRIVATE ${ARGN})
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
endfunction()

# smartcli_test(NAME LABEL SOURCES... LIBRARIES ...): a Catch2 program whose cases CTest knows one by one.
function(smartcli_test name label)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} Catch2::Catch2WithMain)
  set_property(GLOBAL APPEND PROPERTY smartcli_test_programs ${name})
  if(test_support IN_LIST ARG_LIBRARIES)
    # What they say to the daemon is recorded for tests/contract.
    set_property(GLOBAL APPEND PROPERTY smartcli_recorded_programs ${name})
    catch_discover_tests(${name} PROPERTIES LABELS ${label} ENVIRONMENT "SMARTCLI_TEST_TRACES=${SMARTCLI_TEST_TRACES}")
  else()
    catch_discover_tests(${name} PROPERTIES LABELS ${label})
  endif()
endfunction()
