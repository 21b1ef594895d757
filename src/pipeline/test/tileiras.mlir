// What stands in the place of NVIDIA's tileiras: its options, and its exit statuses: 1 for a command line, 2 for options
// that cannot be followed, 3 for a file that is no bytecode, 5 for a module that does not compile.
// RUN: tilewright as %s -o %t.any
// RUN: tileiras --help | FileCheck %s --check-prefix=HELP
// RUN: tileiras --list-versions | FileCheck %s --check-prefix=VERSIONS
// RUN: tileiras --version | FileCheck %s --check-prefix=VERSION
// RUN: %python -c "import subprocess, sys; print([subprocess.run(['tileiras', *words.split()], capture_output=True).returncode for words in sys.argv[1:]])" "" "%t.missing" "%t.any --gpu-name=sm_91" "%t.any --frobnicate" "%t.any" "%t.any --arch=sm_90 -O4" "%t.any --arch=sm_90 -g" "%t.any --arch=sm_90 --apply-controls=x" "%s --arch=sm_90" "%t.any --arch=sm_90 -l x" | FileCheck %s --check-prefix=STATUS
// RUN: not tileiras %t.any --gpu-name=sm_91 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: not tileiras %t.any 2>&1 | FileCheck %s --check-prefix=NO-GPU
// RUN: not tileiras %t.any --arch sm_90 -O7 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tileiras %t.any --arch sm_90 -g 2>&1 | FileCheck %s --check-prefix=DEBUG
// RUN: not tileiras %s --arch sm_90 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not tileiras %t.any --arch sm_90 --preview=simt -l x.lib 2>&1 | FileCheck %s --check-prefix=LIBRARY
// RUN: not tileiras %t.any --arch sm_90 --sanitize=racecheck 2>&1 | FileCheck %s --check-prefix=SANITIZER
// RUN: not tileiras %t.any --arch sm_90 --remarks-missed=speed 2>&1 | FileCheck %s --check-prefix=REMARKS
// RUN: not tileiras %t.any --arch sm_90 --host-os=plan9 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not tileiras %t.any --print-options -O5 --arch sm_90 2>/dev/null | FileCheck %s --check-prefix=OPTIONS
// RUN: not tileiras %t.any --print-all-options -O5 --arch sm_90 2>/dev/null | FileCheck %s --check-prefix=ALL

// HELP: USAGE: tileiras [options] <tile bytecode file>
// HELP-DAG: --arch {{ *}}- Alias for --gpu-name
// HELP-DAG: -O {{ *}}- Alias for --opt-level
// HELP-DAG: =sm_121
// HELP-DAG: --remarks-output-file=<string>
// VERSIONS: 13.1
// VERSIONS-NEXT: 13.2
// VERSIONS-NEXT: 13.3
// VERSIONS-NEXT: 13.4
// VERSION: tileiras: Tilewright Tile IR optimizing assembler
// VERSION-NEXT: tilewright {{.*[0-9]}}
// STATUS: [1, 1, 1, 1, 2, 2, 2, 2, 3, 5]
// GPU: tileiras: for the --gpu-name option: Cannot find option named 'sm_91'!
// NO-GPU: error: no GPU is given, expected --gpu-name, as in --gpu-name=sm_90
// LEVEL: error: invalid optimization level: 7, expected 0 to 3
// DEBUG: error: optimized debugging is currently not supported, change the optimization level to 0
// TEXT: error: input does not correspond to Tile IR bytecode
// LIBRARY: error: tile libraries are not supported, found '-l x.lib'
// SANITIZER: tileiras: for the --sanitize option: Cannot find option named 'racecheck'!
// REMARKS: tileiras: for the --remarks-missed option: Cannot find option named 'speed'!
// HOST: tileiras: for the --host-os option: Cannot find option named 'plan9'!
// OPTIONS-NOT: --remarks-passed
// OPTIONS: --gpu-name {{ *}}= sm_90
// OPTIONS: --opt-level {{ *}}= 5
// ALL-DAG: --gpu-name {{ *}}= sm_90
// ALL-DAG: --remarks-passed {{ *}}= none

cuda_tile.module @kernels {
}
