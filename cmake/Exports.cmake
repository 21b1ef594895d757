# cmake -D NM= -D OBJECTS= -D MAP= -D NEEDED= -P Exports.cmake
# Reads which symbols of ours, MLIR and LLVM the objects lack; writes a version script that exports
# them, and a linker response file that pulls them out of the archives.

execute_process(COMMAND ${NM} --undefined-only --format=just-symbols ${OBJECTS}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" symbols "${symbols}")
list(FILTER symbols INCLUDE REGEX "^(_Z.*(4mlir|4llvm|10tilewright).*|LLVM.*)$")
list(SORT symbols)
list(REMOVE_DUPLICATES symbols)

list(JOIN symbols ";\n    " exported)
list(TRANSFORM symbols PREPEND "--undefined=" OUTPUT_VARIABLE pulled)
list(JOIN pulled "\n" pulled)
if(exported)
  string(APPEND exported ";")
endif()
file(WRITE ${MAP} "TILEWRIGHT {\n  global:\n    tilewright_*;\n    ${exported}\n  local:\n    *;\n};\n")
file(WRITE ${NEEDED} "${pulled}\n")
