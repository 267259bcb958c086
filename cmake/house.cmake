# One library per folder, and a wrong include does not build: each library brings an include root of its own that
# holds only a link to its folder, so `#include "terminal/screen.hpp"` resolves where `terminal` is linked and
# nowhere else.

# smartcli_library(NAME [FOLDER dir] [SOURCES ...] [DEPENDS ...])
#   NAME     target, include prefix and namespace; FOLDER defaults to the current source folder.
#   DEPENDS  other libraries, passed on to users.
function(smartcli_library name)
  cmake_parse_arguments(ARG "" "FOLDER" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  cmake_path(GET ARG_FOLDER FILENAME prefix)
  set(root ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${ARG_FOLDER} ${root}/${prefix} SYMBOLIC)
  if(ARG_SOURCES)
    add_library(${name} STATIC ${ARG_SOURCES})
    target_include_directories(${name} PUBLIC ${root})
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${root})
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()
