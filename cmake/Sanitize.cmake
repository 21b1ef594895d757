# Our code under the address and undefined-behaviour sanitizers; LLVM and MLIR come as Debian built them.

# LLVM has no type information at run time, which the check of dynamic types reads.
add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined
                    -fno-omit-frame-pointer)
if(TILEWRIGHT_FUZZ)
  # libFuzzer's main and the runtime are in each target.
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr)
  return()
endif()
# The shared runtime: Python loads our module late and needs the runtime preloaded, and the tools it starts must agree
# on it.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
                OUTPUT_VARIABLE TILEWRIGHT_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(folder ${TILEWRIGHT_SANITIZER_RUNTIME} DIRECTORY)
add_link_options(-fsanitize=address,undefined -fno-sanitize=vptr -shared-libasan -Wl,-rpath,${folder})
