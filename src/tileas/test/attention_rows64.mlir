// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attention by tiles of 64 queries, two CTAs of a multiprocessor: one warpgroup has all of a row, and each CTA hands over
// its half of the registers.
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=tileas -o - | FileCheck %s --check-prefix=TILEAS
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: tilewright compile %s --target=nvidia:sm_90 --emit=plan -o - | FileCheck %s --check-prefix=PLAN
// TILEAS: tileas.cta<warps = 4, threads = 256, resident = 2>
// TILEAS: tileas.agents warps = [4, 4], registers = [232, 24] {
// TILEAS-NOT: tileas.convert_layout
// TILEAS: tileas.mma <wgmma m64n64k16> {{.*}} {running
// TILEAS-NOT: tileas.convert_layout
// TILEAS: tileas.mma <wgmma m64n128k16> {{.*}} {running
// TILEAS: tileas.schedule<"start product.0, start product.1(i-1), wait product.0, work, wait product.1"
// PTX: .reqntid 256
// PTX-NEXT: .minnctapersm 2
// PTX: setmaxnreg.dec.sync.aligned.u32 {{.*}}24;
// PTX: setmaxnreg.inc.sync.aligned.u32 {{.*}}232;
// PLAN-DAG: {{^}}warps = 4  # a warpgroup has all rows of the products, and CTAs share the multiprocessor
// PLAN-DAG: {{^}}occupancy = 2  # the hint occupancy asks for it

// More CTAs, of which a thread still has the registers of its sums; of six it has not.
// RUN: sed -e 's/occupancy = 2 :/occupancy = 6 :/' %s > %t.six.mlir
// RUN: tilewright compile %t.six.mlir --target=nvidia:sm_90 --emit=plan -o - | FileCheck %s --check-prefix=SIX
// SIX-DAG: {{^}}occupancy = 2  # {{products need the registers that more would have|shared memory has no room for more}}

// Nobody asks for any number of CTAs: as many as have room.
// RUN: sed -e 's/{default = {occupancy = 2 : i32}}/{}/' %s > %t.own.mlir
// RUN: tilewright compile %t.own.mlir --target=nvidia:sm_90 --emit=plan -o - | FileCheck %s --check-prefix=OWN
// OWN-DAG: {{^}}warps = 4  # a warpgroup has all rows of the products, and CTAs share the multiprocessor
// OWN-DAG: {{^}}occupancy = 2  # the products of a CTA run beside the work of others

// One CTA is asked for, or the architecture has no instruction of a warpgroup: as by the size of tiles.
// RUN: sed -e 's/occupancy = 2 :/occupancy = 1 :/' %s > %t.one.mlir
// RUN: tilewright compile %t.one.mlir --target=nvidia:sm_90 --emit=plan -o - | FileCheck %s --check-prefix=OTHERS
// RUN: tilewright compile %s --target=nvidia:sm_80 --emit=plan -o - | FileCheck %s --check-prefix=OTHERS
// OTHERS: {{^}}warps = 8  # as many as

// A plan file may decide for two warpgroups in each CTA.
// RUN: printf '[attention]\nwarps = 8\n' > %t.toml
// RUN: tilewright compile %s --target=nvidia:sm_90 --plan=%t.toml --emit=plan -o - | FileCheck %s --check-prefix=EIGHT
// EIGHT-DAG: {{^}}warps = 8
// EIGHT-DAG: {{^}}occupancy = 2  # the hint occupancy asks for it

!view = !tileaa.view<[?, ?], bf16, strides = [?, 1]>
module {
  func.func @attention(%q: i64, %k: i64, %v: i64, %o: i64, %scale: f32) attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {occupancy = 2 : i32}}>} {
    %pq = tileaa.assume_div_by %q, 16 : i64
    %pk = tileaa.assume_div_by %k, 16 : i64
    %pv = tileaa.assume_div_by %v, 16 : i64
    %po = tileaa.assume_div_by %o, 16 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0 : i32
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %minus = arith.constant 0xFF800000 : f32
    %nothing = arith.constant 0.0 : f32
    %empty = arith.constant dense<0.0> : tensor<64x64xf32>
    %blank = arith.constant dense<0.0> : tensor<64x128xf32>
    %lowest = arith.constant dense<0xFF800000> : tensor<64x1xf32>
    %none = arith.constant dense<0.0> : tensor<64x1xf32>
    %t = tileaa.make_token
    %n = arith.constant 4096 : index
    %vq = tileaa.make_view %pq, shape[%n, %c128], strides[%c128] : !view
    %vk = tileaa.make_view %pk, shape[%n, %c128], strides[%c128] : !view
    %vv = tileaa.make_view %pv, shape[%n, %c128], strides[%c128] : !view
    %vo = tileaa.make_view %po, shape[%n, %c128], strides[%c128] : !view
    %x, %y, %z = tileaa.block_id
    %block = arith.index_cast %x : i32 to index
    %row = arith.muli %block, %c64 : index
    %tq, %0 = tileaa.load_view %vq[%row, %c0] after %t dims [0, 1] padding zero : !view -> tensor<64x128xbf16>
    %scales = tileaa.broadcast %scale : f32 -> tensor<64x64xf32>
    %full:3 = scf.for %j = %zero to %x step %c1 iter_args(%high = %lowest, %total = %none, %acc = %blank) -> (tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x128xf32>) : i32 {
      %i = arith.index_cast %j : i32 to index
      %at = arith.muli %i, %c64 : index
      %tk, %1 = tileaa.load_view %vk[%at, %c0] after %t dims [1, 0] padding zero : !view -> tensor<128x64xbf16>
      %s = tileaa.mma %tq, %tk, %empty : tensor<64x128xbf16>, tensor<128x64xbf16>, tensor<64x64xf32>
      %m = tileaa.reduce %s from %minus along 1 {
      ^bb0(%a: f32, %b: f32):
        %max = arith.maxnumf %a, %b : f32
        tileaa.yield %max : f32
      } : (tensor<64x64xf32>, f32) -> tensor<64xf32>
      %mr = tileaa.reshape %m : tensor<64xf32> -> tensor<64x1xf32>
      %higher = arith.maxnumf %high, %mr : tensor<64x1xf32>
      %hb = tileaa.broadcast %higher : tensor<64x1xf32> -> tensor<64x64xf32>
      %d = arith.subf %s, %hb : tensor<64x64xf32>
      %e = arith.mulf %d, %scales : tensor<64x64xf32>
      %p = tileaa.float exp2 %e flush : tensor<64x64xf32>
      %sum = tileaa.reduce %p from %nothing along 1 {
      ^bb0(%a: f32, %b: f32):
        %add = arith.addf %a, %b : f32
        tileaa.yield %add : f32
      } : (tensor<64x64xf32>, f32) -> tensor<64xf32>
      %sr = tileaa.reshape %sum : tensor<64xf32> -> tensor<64x1xf32>
      %more = arith.addf %total, %sr : tensor<64x1xf32>
      %tv, %2 = tileaa.load_view %vv[%at, %c0] after %t dims [0, 1] padding zero : !view -> tensor<64x128xbf16>
      %narrow = arith.truncf %p : tensor<64x64xf32> to tensor<64x64xbf16>
      %next = tileaa.mma %narrow, %tv, %acc : tensor<64x64xbf16>, tensor<64x128xbf16>, tensor<64x128xf32>
      scf.yield %higher, %more, %next : tensor<64x1xf32>, tensor<64x1xf32>, tensor<64x128xf32>
    }
    %tb = tileaa.broadcast %full#1 : tensor<64x1xf32> -> tensor<64x128xf32>
    %quotient = arith.divf %full#2, %tb : tensor<64x128xf32>
    %result = arith.truncf %quotient : tensor<64x128xf32> to tensor<64x128xbf16>
    %s = tileaa.store_view %result, %vo[%row, %c0] after %t dims [0, 1] : tensor<64x128xbf16>, !view
    return
  }
}
