# Tests lie beside the code they test and are found, not listed:
#   src/**/*Test.cpp   gtest, all in one binary build/bin/tilewright-tests
#   src/**/test/*.mlir lit, run with build/lit.site.cfg.py
# `./dev test` runs both, and pytest over python/test and kernels.

find_package(GTest REQUIRED)
file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*Test.cpp)
if(tests)
  add_executable(tilewright-tests ${tests} ${CMAKE_SOURCE_DIR}/src/fuzz/readers/Properties.cpp
                                  $<TARGET_OBJECTS:tw_programs>)
  add_dependencies(tilewright-tests tilewright_tablegen)
  target_link_libraries(tilewright-tests PRIVATE tilewright fakecuda GTest::gtest_main)
  # The precompiled header was made with -fPIC; an executable must agree to read it.
  target_compile_options(tilewright-tests PRIVATE -fPIC)
  target_precompile_headers(tilewright-tests REUSE_FROM tilewright_pch)
endif()

if(EXISTS ${CMAKE_SOURCE_DIR}/.venv/bin/python)
  set(TILEWRIGHT_PYTHON_EXECUTABLE ${CMAKE_SOURCE_DIR}/.venv/bin/python)
else()
  set(TILEWRIGHT_PYTHON_EXECUTABLE python3)
endif()
if(TILEWRIGHT_SANITIZE)
  set(TILEWRIGHT_PYTHON_PATH ${CMAKE_BINARY_DIR}/python)
else()
  set(TILEWRIGHT_PYTHON_PATH ${CMAKE_SOURCE_DIR}/python)
endif()
configure_file(${CMAKE_SOURCE_DIR}/src/lit.site.cfg.py.in
               ${CMAKE_BINARY_DIR}/lit.site.cfg.py @ONLY)
