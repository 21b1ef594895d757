# find_package(Tilewright) in a program's CMakeLists.txt: the target Tilewright::tilewright, the library with its C
# header. With the compiler for CUDA Tile C++, TilewrightKernels.cmake has more. This file lies in PREFIX/cmake, the header in PREFIX/include, the library in PREFIX or PREFIX/lib.
get_filename_component(_tilewright_prefix "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
find_library(Tilewright_LIBRARY tilewright PATHS "${_tilewright_prefix}" "${_tilewright_prefix}/lib" NO_DEFAULT_PATH)
find_path(Tilewright_INCLUDE_DIR tilewright.h PATHS "${_tilewright_prefix}/include" NO_DEFAULT_PATH)
mark_as_advanced(Tilewright_LIBRARY Tilewright_INCLUDE_DIR)

if(NOT Tilewright_LIBRARY OR NOT Tilewright_INCLUDE_DIR)
  set(Tilewright_FOUND FALSE)
  set(Tilewright_NOT_FOUND_MESSAGE "no libtilewright.so, or no tilewright.h, beside ${CMAKE_CURRENT_LIST_DIR}")
elseif(NOT TARGET Tilewright::tilewright)
  add_library(Tilewright::tilewright SHARED IMPORTED)
  set_target_properties(Tilewright::tilewright PROPERTIES
                        IMPORTED_LOCATION "${Tilewright_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${Tilewright_INCLUDE_DIR}")
endif()
if(TARGET Tilewright::tilewright AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/TilewrightKernels.cmake")
  include(CMakeFindDependencyMacro)
  find_dependency(Threads)
  include("${CMAKE_CURRENT_LIST_DIR}/TilewrightKernels.cmake")
endif()
