# The release form of the library: LLVM and MLIR inside, nothing of them visible outside, so that it
# runs where no LLVM is and beside others in one process that bring their own.

# tilewright_link_static(<target>): links the archives of MLIR and of LLVM with its X86, AArch64 and NVPTX back ends.
function(tilewright_link_static target)
  file(GLOB mlir ${LLVM_LIBRARY_DIR}/libMLIR*.a)
  file(GLOB llvm ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  set(absent ${LLVM_TARGETS_TO_BUILD})
  list(REMOVE_ITEM absent X86 AArch64 NVPTX)
  list(JOIN absent "|" names)
  list(FILTER llvm EXCLUDE REGEX "/libLLVM(BOLT|Exegesis|${names})")

  # MLIR's translation library initialises every target LLVM was built with; those left out get
  # initialisers that do nothing.
  set(text "/* Written by cmake/StaticMlir.cmake. */\n")
  foreach(name ${absent})
    foreach(part Target TargetInfo TargetMC AsmPrinter AsmParser)
      string(APPEND text "void LLVMInitialize${name}${part}(void) {}\n")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/AbsentTargets.c CONTENT "${text}")
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/AbsentTargets.c)

  set(system ${CMAKE_DL_LIBS} m pthread)
  foreach(name z zstd)
    find_library(static_${name} lib${name}.a REQUIRED)
    list(APPEND system ${static_${name}})
  endforeach()
  target_link_libraries(${target} PRIVATE ${mlir} ${llvm} ${system})
  # Functions of equal code become one: a quarter of MLIR's, which come from templates. Nothing in LLVM or MLIR compares
  # functions by address (they tell types and passes apart by the address of data). Relative relocations are packed, as
  # the C library reads them since 2.36, which Debian 12 has and the library needs anyway.
  target_link_options(${target} PRIVATE -Wl,--gc-sections,--icf=all,--strip-all,-O2
                                        -Wl,-z,defs,-z,now,-z,pack-relative-relocs)
endfunction()

# tilewright_export_for(<target> <object library>...): makes visible exactly what the object
# libraries of the tools and the Python module need of the library, and its C functions.
function(tilewright_export_for target)
  set(objects)
  foreach(client ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:${client}>)
  endforeach()
  set(map ${CMAKE_BINARY_DIR}/exports.map)
  set(needed ${CMAKE_BINARY_DIR}/exports.rsp)
  add_custom_command(
    OUTPUT ${map} ${needed}
    COMMAND ${CMAKE_COMMAND} -D NM=${LLVM_TOOLS_BINARY_DIR}/llvm-nm -D MAP=${map}
            -D NEEDED=${needed} "-DOBJECTS=${objects}" -P ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake
    DEPENDS ${objects} ${CMAKE_SOURCE_DIR}/cmake/Exports.cmake
    COMMENT "Listing the symbols to export"
    VERBATIM)
  add_custom_target(${target}_exports DEPENDS ${map} ${needed})
  add_dependencies(${target} ${target}_exports)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map} ${needed})
  target_link_options(${target} PRIVATE -Wl,--version-script=${map},--undefined-version
                                        -Wl,@${needed})
endfunction()
