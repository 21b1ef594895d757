// Whatever a stage runs into, the command ends with a sentence that says what and where, and exit status 1.
// DEFINE: %{fail} = env TILEWRIGHT_REPRODUCER_DIR=%t/missing not tilewright compile %s --fail-in
// RUN: %{fail}=fatal:cpu-plan 2>&1 | FileCheck %s --check-prefix=FATAL
// FATAL: the compiler failed: planted (in cpu-plan on function 'fill'){{$}}
// RUN: %{fail}=stack:cpu-plan 2>&1 | FileCheck %s --check-prefix=STACK
// STACK: the compiler ran out of stack, of which it has 64 MiB: an expression or a nest of regions is too deep (in cpu-plan on function 'fill'){{$}}
// RUN: %{fail}=memory:cpu-plan 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: the compiler ran out of memory (in cpu-plan on function 'fill'){{$}}
// RUN: %{fail}=loop:cpu-plan --time-limit=1 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: the compiler was not done after 1 s (in cpu-plan on function 'fill'){{$}}
// RUN: %{fail}=wait:cpu-plan --time-limit=1 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: the compiler was not done after 1 s{{( \(in cpu-plan on function 'fill'\))?$}}

// Within LLVM the place is LLVM's pass.
// RUN: %{fail}="crash:code generation of a function" 2>&1 | FileCheck %s --check-prefix=CODEGEN
// RUN: %{fail}="loop:code generation of a function" --time-limit=1 2>&1 | FileCheck %s --check-prefix=CODEGEN
// CODEGEN: (in pass 'Call before function' on function '@fill'){{$}}
// RUN: %{fail}="crash:LLVM optimizer" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// OPTIMIZER: (in LLVM optimizer){{$}}
// RUN: %{fail}="stack:parse and verify" 2>&1 | FileCheck %s --check-prefix=PARSE
// PARSE: (in parse and verify){{$}}

// RUN: not tilewright compile %s --time-limit=-1 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: for the --time-limit option: found '-1', expected seconds from 0 to 1e6
// RUN: env TILEWRIGHT_TIME_LIMIT=soon not tilewright compile %s 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: environment variable TILEWRIGHT_TIME_LIMIT is 'soon', expected seconds from 0 to 1e6
// RUN: env TILEWRIGHT_TIME_LIMIT=1 TILEWRIGHT_REPRODUCER_DIR=%t/missing not tilewright compile %s --fail-in=loop:cpu-plan 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: the compiler was not done after 1 s (in cpu-plan on function 'fill'){{$}}

cuda_tile.module @kernels {
  entry @fill(%out: tile<ptr<f32>>) {
    %value = constant <f32: 2.5> : tile<f32>
    %done = store_ptr_tko weak %out, %value : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
