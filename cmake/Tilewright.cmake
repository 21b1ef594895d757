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

# tilewright_tool(<name> <file>...): a main that loads libtilewright.so.
function(tilewright_tool name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE tilewright)
  add_dependencies(${name} tilewright_tablegen)
  tilewright_use_pch(${name})
endfunction()

# The header is compiled with -fPIC, as all of the library; an executable must agree to read it.
function(tilewright_use_pch name)
  target_compile_options(${name} PRIVATE -fPIC)
  target_precompile_headers(${name} REUSE_FROM tilewright_pch)
endfunction()
