// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/work/LiveRegisters.h"

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;

namespace {

// A thread has 8 elements of each tile: 4 registers of bf16, 8 of f32.
double registersOf(llvm::StringRef body) {
  std::string text = R"(
    #row = #tileas.layout<"{register: 1 2 4, lane: 8 16 32 64 128, warp:} -> 256">
    func.func @k(%v: !tileaa.view<[256], bf16, strides = [1]>, %out: !tileaa.view<[256], f32, strides = [1]>, %n: index) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %t = tileaa.make_token
      %x, %t0 = tileaa.load_view %v[%c0] after %t dims [0] : <[256], bf16, strides = [1]> -> tensor<256xbf16, #row>
  )" + body.str() + R"(
      return
    }
  )";
  MLIRContext context;
  context.loadDialect<tileas::TileasDialect, tileaa::TileaaDialect, arith::ArithDialect, scf::SCFDialect,
                      func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(text, &context);
  return module ? tileas::liveRegisters(*module->getOps<func::FuncOp>().begin()) : -1;
}

constexpr llvm::StringLiteral store = R"(
      %u = tileaa.store_view %last, %out[%c0] after %t dims [0] : tensor<256xf32, #row>, <[256], f32, strides = [1]>
)";

} // namespace

TEST(LiveRegisters, aConversionForOneUseTakesNone) {
  EXPECT_EQ(registersOf((R"(
      %last = arith.extf %x : tensor<256xbf16, #row> to tensor<256xf32, #row>
  )" + store)
                            .str()),
            4);
}

TEST(LiveRegisters, aTileOfTwoUsesIsHeld) {
  // The conversion, and the tile that was loaded, whose only use is the conversion.
  EXPECT_EQ(registersOf((R"(
      %w = arith.extf %x : tensor<256xbf16, #row> to tensor<256xf32, #row>
      %s = arith.mulf %w, %w : tensor<256xf32, #row>
      %last = arith.addf %w, %s : tensor<256xf32, #row>
  )" + store)
                            .str()),
            8);
}

TEST(LiveRegisters, aLoopHoldsWhatItUsesAndCarries) {
  // In each iteration the carried sums, the tile from outside and the one that is loaded.
  EXPECT_EQ(registersOf((R"(
      %w = arith.extf %x : tensor<256xbf16, #row> to tensor<256xf32, #row>
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %w) -> tensor<256xf32, #row> {
        %y, %t1 = tileaa.load_view %v[%i] after %t dims [0] : <[256], bf16, strides = [1]> -> tensor<256xbf16, #row>
        %p = arith.mulf %x, %y : tensor<256xbf16, #row>
        %q = arith.extf %p : tensor<256xbf16, #row> to tensor<256xf32, #row>
        %next = arith.addf %sum, %q : tensor<256xf32, #row>
        scf.yield %next : tensor<256xf32, #row>
      }
  )" + store)
                            .str()),
            4 + 8 + 4);
}
