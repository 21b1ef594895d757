// What the commands on files refuse: one error, exit status 1, and nothing written.
// RUN: not tilewright dis %t.missing 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tilewright as %s --bytecode-version 12.0 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: not tilewright as %s -o %t.missing/out 2>&1 | FileCheck %s --check-prefix=OUTPUT
// MISSING: tilewright: error: cannot read {{.*}}.missing: No such file or directory
// VERSION: tilewright: error: unknown bytecode version '12.0', expected one of 13.1, 13.2, 13.3, 13.4
// OUTPUT: tilewright: error: cannot write {{.*}}.missing/out: No such file or directory

// Text: line, column and caret, whatever stands around the entries and wherever the text comes from.
// RUN: printf '// first\n\nentry @k() {\n  oops\n}\n' > %t.content
// RUN: not tilewright as %t.content -o %t.out 2>&1 | FileCheck %s --check-prefix=CONTENT
// RUN: not test -e %t.out
// RUN: printf 'entry @k() { oops }' | not tilewright as - 2>&1 | FileCheck %s --check-prefix=LINE
// RUN: printf 'cuda_tile.module @m {\n  entry @k() { oops }\n}' | not tilewright dis - 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: printf 'module {}' | not tilewright info - 2>&1 | FileCheck %s --check-prefix=EMPTY
// CONTENT: tile_ir_files_invalid.mlir{{.*}}.content:4:3: error: custom op 'oops' is unknown
// CONTENT-NEXT: {{^  oops$}}
// CONTENT-NEXT: {{^  \^$}}
// CONTENT-NOT: {{.}}
// LINE: <stdin>:1:14: error: custom op 'oops' is unknown
// LINE-NEXT: entry @k() { oops }
// LINE-NEXT: {{^             \^$}}
// LINE-NOT: {{.}}
// MODULE: <stdin>:2:16: error: custom op 'oops' is unknown
// EMPTY: <stdin>:1:1: error: found 0 Tile IR modules, expected one

// Bytes: where in the file.
// RUN: tilewright as %s -o %t.tilebc
// RUN: head -c 60 %t.tilebc > %t.short
// RUN: not tilewright dis %t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not tilewright info %t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not tilewright compile %t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: tile_ir_files_invalid.mlir{{.*}}.short: error: byte 0x{{[0-9a-f]+}}
// SHORT-NOT: error
// RUN: printf '\177TileIS\000\r\004' | not tilewright dis - 2>&1 | FileCheck %s --check-prefix=MAGIC
// MAGIC: <stdin>: error: byte 0x0: expected the magic number 7f 'TileIR' 00 of Tile IR bytecode
// MAGIC-NOT: {{.}}

// NVIDIA's statuses where its tool is replaced: 2 without a file, 3 for a file that is none.
// RUN: %python -c "import subprocess, sys; print([subprocess.run(['tileirdisasm', *file]).returncode for file in ([], sys.argv[1:2], sys.argv[2:3], sys.argv[3:])])" %t.missing %s %t.short | FileCheck %s --check-prefix=STATUS
// RUN: not tileirdisasm 2>%t.error | FileCheck %s --check-prefix=HELP
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.error
// RUN: not tileirdisasm --preview=simt,other %t.tilebc 2>&1 | FileCheck %s --check-prefix=PREVIEW
// RUN: tileirdisasm --preview=simt %t.tilebc
// PREVIEW: tileirdisasm: for the --preview option: unknown preview feature 'other'; supported features: simt
// RUN: not tileirdisasm %t.missing 2>&1 | FileCheck %s --check-prefix=UNREADABLE
// RUN: not tileirdisasm %s 2>&1 | FileCheck %s --check-prefix=NOBYTECODE
// RUN: not tileirdisasm %t.short 2>&1 | FileCheck %s --check-prefix=SHORT
// STATUS: [2, 2, 3, 3]
// HELP: USAGE: tileirdisasm [options] <tile bytecode file>
// HELP: -g {{ *}}- Alias for --print-debug-info
// HELP: --print-debug-info {{ *}}- Annotate disassembly with debugging information, if present.
// NONE: error: no input file provided
// UNREADABLE: error: unable to read input file '{{.*}}.missing': No such file or directory
// NOBYTECODE: error: input does not correspond to Tile IR bytecode

// An operation that an older version lacks is named.
// RUN: not tilewright as %s --bytecode-version 13.1 2>&1 | FileCheck %s --check-prefix=NEW
// NEW: error: {{.*}}atan2{{.*}}13.1

cuda_tile.module @kernels {
  entry @angle(%x: tile<f32>, %y: tile<f32>) {
    %a = atan2 %x, %y : tile<f32>
    return
  }
}
