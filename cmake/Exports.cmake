# cmake -D NM= -D OBJECTS= -D MAP= -D NEEDED= -P Exports.cmake
# Reads which symbols of ours, MLIR and LLVM the objects lack; writes a version script that exports
# them, and a linker response file that pulls them out of the archives.
cmake_minimum_required(VERSION 3.25)

function(list_symbols result)
  execute_process(COMMAND ${NM} --no-weak --format=just-symbols ${ARGN} ${OBJECTS}
                  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" symbols "${symbols}")
  list(FILTER symbols INCLUDE REGEX "^(_Z.*(4mlir|4llvm|10tilewright).*|LLVM.*)$")
  list(REMOVE_DUPLICATES symbols)
  set(${result} ${symbols} PARENT_SCOPE)
endfunction()

list_symbols(needed --undefined-only)
list_symbols(own --defined-only)
list(REMOVE_ITEM needed ${own})
list(SORT needed)

list(JOIN needed ";\n    " exported)
file(WRITE ${MAP} "TILEWRIGHT {\n  global:\n    tilewright_*;\n    ${exported};\n  local:\n    *;\n};\n")
list(TRANSFORM needed PREPEND "--undefined=")
list(JOIN needed "\n" pulled)
file(WRITE ${NEEDED} "${pulled}\n")
