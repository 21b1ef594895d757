# The build vocabulary of the tree: one call per folder.

# tilewright_sources(<folder-name> <file>... [TABLEGEN <target>...])
# compiles a folder's sources into the library; every folder shares one precompiled header.
function(tilewright_sources name)
  cmake_parse_arguments(ARG "" "" "TABLEGEN" ${ARGN})
  add_library(tw_${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(tw_${name} tilewright_tablegen)
  if(ARG_TABLEGEN)
    add_dependencies(tilewright_tablegen ${ARG_TABLEGEN})
  endif()
  target_precompile_headers(tw_${name} REUSE_FROM tilewright_pch)
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_OBJECTS tw_${name})
endfunction()

# tilewright_client(<name> <file>...): objects of a program that loads libtilewright.so. What they
# need of it is what the release library exports (StaticMlir.cmake).
function(tilewright_client name)
  add_library(${name} OBJECT ${ARGN})
  add_dependencies(${name} tilewright_tablegen)
  target_precompile_headers(${name} REUSE_FROM tilewright_pch)
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_CLIENTS ${name})
endfunction()

# tilewright_tool(<name> <file>...): a main that loads libtilewright.so, in build/bin.
function(tilewright_tool name)
  tilewright_client(tw_tool_${name} ${ARGN})
  add_executable(${name} $<TARGET_OBJECTS:tw_tool_${name}>)
  target_link_libraries(${name} PRIVATE tilewright)
endfunction()
