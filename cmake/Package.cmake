# What programs in C and C++ need besides the library: the header and the CMake package, in the build folder as they are
# where it is installed, include/ and cmake/ beside the library or its folder.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_BINARY_DIR}/cmake)
write_basic_package_version_file(${package}/TilewrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_SOURCE_DIR}/cmake/TilewrightConfig.cmake ${package}/TilewrightConfig.cmake COPYONLY)
configure_file(${CMAKE_SOURCE_DIR}/include/tilewright.h ${CMAKE_BINARY_DIR}/include/tilewright.h COPYONLY)

if(TILEWRIGHT_STATIC_MLIR)
  install(FILES ${CMAKE_SOURCE_DIR}/include/tilewright.h DESTINATION tilewright/include)
  install(FILES ${package}/TilewrightConfig.cmake ${package}/TilewrightConfigVersion.cmake DESTINATION tilewright/cmake)
endif()
