// --lineinfo adds the lines of the source to levels and to code, whose instructions stay the same.
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=tileaa | FileCheck %s --check-prefix=NONE
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=asm | FileCheck %s --check-prefix=NONE
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=tileaa --lineinfo | FileCheck %s --check-prefix=LEVEL
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=llvm --lineinfo | FileCheck %s --check-prefix=LLVM
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=asm --lineinfo | FileCheck %s --check-prefix=ASM
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=asm > %t.plain
// RUN: tilewright compile %s --target=cpu:x86-64-v3 --emit=asm --lineinfo > %t.lines
// RUN: grep -P '^\t[a-z]' %t.plain > %t.plain.code
// RUN: grep -P '^\t[a-z]' %t.lines > %t.lines.code
// RUN: diff %t.plain.code %t.lines.code

// NONE-NOT: kernel.py
// LEVEL: loc("kernel.py":7:3)
// LLVM: !DIFile(filename: "kernel.py"
// LLVM: !DILocation(line: 7, column: 3
// ASM: .file [[FILE:[0-9]+]] "kernel.py"
// ASM: .loc [[FILE]] 7 3
#line = loc("kernel.py":7:3)
#function = loc("kernel.py":5:1)
cuda_tile.module @m {
  entry @kernel(%out: tile<ptr<f32>>, %x: tile<f32>) {
    %token = make_token : token loc(#function)
    %id:3 = get_tile_block_id : tile<i32> loc(#line)
    %at = offset %out, %id#0 : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>> loc(#line)
    %done = store_ptr_tko weak %at, %x token = %token : tile<ptr<f32>>, tile<f32> -> token loc(#line)
    return loc(#function)
  } loc(#function)
}
