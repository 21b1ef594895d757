# What programs in C and C++ need: the library, its header and the CMake package, in the build folder as they are where
# they are installed, include/ and cmake/ beside the library or its folder. They are a component by themselves
# (`cmake --install build --component embedding --prefix DIR`), and part of the wheel.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_BINARY_DIR}/cmake)
write_basic_package_version_file(${package}/TilewrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_SOURCE_DIR}/cmake/TilewrightConfig.cmake ${package}/TilewrightConfig.cmake COPYONLY)
configure_file(${CMAKE_SOURCE_DIR}/include/tilewright.h ${CMAKE_BINARY_DIR}/include/tilewright.h COPYONLY)

install(FILES ${CMAKE_SOURCE_DIR}/include/tilewright.h DESTINATION tilewright/include COMPONENT embedding)
install(FILES ${package}/TilewrightConfig.cmake ${package}/TilewrightConfigVersion.cmake DESTINATION tilewright/cmake
        COMPONENT embedding)
install(TARGETS tilewright LIBRARY DESTINATION tilewright COMPONENT embedding)
if(TILEWRIGHT_STATIC_MLIR)
  set_target_properties(tilewright PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(FILES $<TARGET_FILE:TBB::tbb> DESTINATION tilewright RENAME $<TARGET_SONAME_FILE_NAME:TBB::tbb>
          COMPONENT embedding)
else()
  set_target_properties(tilewright PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
endif()

# The compiler of programs in CUDA Tile C++, for the same folder: `cmake --install build --component cxx`.
if(TILEWRIGHT_CPP)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/TilewrightKernels.cmake ${package}/TilewrightKernels.cmake COPYONLY)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/include/tilewright ${CMAKE_BINARY_DIR}/include/tilewright SYMBOLIC)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/tilewright DESTINATION tilewright/include COMPONENT cxx)
  install(FILES ${package}/TilewrightKernels.cmake DESTINATION tilewright/cmake COMPONENT cxx)
  install(TARGETS tilewright-cpp LIBRARY DESTINATION tilewright COMPONENT cxx)
  install(TARGETS tilewright-c++ RUNTIME DESTINATION tilewright/bin COMPONENT cxx)
  set_target_properties(tilewright-cpp PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
  set_target_properties(tilewright-c++ PROPERTIES INSTALL_RPATH "$ORIGIN/..;${LLVM_LIBRARY_DIR}")
endif()
