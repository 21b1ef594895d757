# The bill of materials of a wheel: the table of scripts/bill_of_materials.py with the versions that this build links.

# header_version(<result> <header> [<folder>...]): the version that a header defines by parts.
function(header_version result header)
  find_file(path ${header} PATHS ${ARGN} REQUIRED NO_CACHE)
  file(STRINGS ${path} lines REGEX "#[ ]*define [A-Z_]*(VER|VERSION|LIB)_(MAJOR|MINOR|PATCH|RELEASE|REVISION)[ ]+[0-9]+")
  list(TRANSFORM lines REPLACE ".*[ ]([0-9]+).*" "\\1")
  list(JOIN lines "." version)
  set(${result} ${version} PARENT_SCOPE)
endfunction()

header_version(zstd zstd.h)
header_version(toml toml++/impl/version.h)
header_version(robin tsl/robin_growth_policy.h ${NB_DIR}/ext/robin_map/include)
header_version(zlib zlib.h)
set(versions tilewright=${PROJECT_VERSION} llvm=${LLVM_PACKAGE_VERSION} onetbb=${TBB_VERSION}
             nanobind=${nanobind_VERSION} robin-map=${robin} tomlplusplus=${toml} zlib=${zlib} zstd=${zstd})
execute_process(COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/bill_of_materials.py ${versions}
                OUTPUT_FILE ${CMAKE_BINARY_DIR}/tilewright.cdx.json COMMAND_ERROR_IS_FATAL ANY)
install(FILES ${CMAKE_BINARY_DIR}/tilewright.cdx.json DESTINATION ${SKBUILD_METADATA_DIR}/sboms)
