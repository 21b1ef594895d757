// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/MmaChoice.h"

#include "layout/MmaLayouts.h"
#include "tileaa/ir/Hints.h"
#include "tileas/ir/MmaAtom.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;
using layout::MmaOperand;
using layout::tileDim;

namespace {

class MmaChoiceTest : public ::testing::Test {
protected:
  MmaChoiceTest() { context.loadDialect<func::FuncDialect, tileas::TileasDialect, ub::UBDialect>(); }

  std::optional<tileas::MmaChoice> choose(Type element, Type accumulator, SmallVector<int64_t> extents, int64_t warps,
                                          StringRef arch, Type format = {}, int occupancy = 0) {
    module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder b(&context);
    b.setInsertionPointToStart(module->getBody());
    auto function = func::FuncOp::create(b, b.getUnknownLoc(), "f", b.getFunctionType({}, {}));
    if (occupancy != 0)
      tileaa::setHints(
          function,
          b.getDictionaryAttr({b.getNamedAttr(
              "default", b.getDictionaryAttr({b.getNamedAttr("occupancy", b.getI32IntegerAttr(occupancy))}))}));
    b.setInsertionPointToStart(function.addEntryBlock());
    SmallVector<int64_t> lead(ArrayRef(extents).drop_back(3));
    int64_t m = extents.end()[-3], n = extents.end()[-2], k = extents.end()[-1];
    auto tile = [&](int64_t rows, int64_t columns, Type type) -> Value {
      SmallVector<int64_t> shape(lead);
      shape.append({rows, columns});
      return ub::PoisonOp::create(b, b.getUnknownLoc(), RankedTensorType::get(shape, type));
    };
    Value lhs = tile(m, k, element), rhs = tile(k, n, element), acc = tile(m, n, accumulator);
    auto mma = tileaa::MmaOp::create(b, b.getUnknownLoc(), acc.getType(), lhs, rhs, acc, false, false,
                                     format ? TypeAttr::get(format) : TypeAttr());
    auto architecture = nvidia::parseArchitecture(arch);
    return tileas::chooseMma(mma, **architecture, warps);
  }
  std::string atomOf(const std::optional<tileas::MmaChoice> &choice) {
    std::string text;
    llvm::raw_string_ostream(text) << choice->atom;
    return text;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

// Of each thread's results, every row is in its left operand, and every column in its right one: the images of all
// threads' bits but those of the instruction agree, and each operand is held whole.
void expectOperands(const tileas::MmaChoice &choice, int64_t warps) {
  unsigned rank = choice.acc.outputs().size();
  for (auto [operand, kept, depth] :
       {std::tuple(&choice.lhs, rank - 2, rank - 1), std::tuple(&choice.rhs, rank - 1, rank - 2)}) {
    EXPECT_TRUE(operand->isSurjective()) << operand->str();
    for (unsigned bit = 0; (int64_t(1) << bit) < warps; ++bit) {
      EXPECT_EQ(operand->basis(Dim::Warp, bit, tileDim(kept)), choice.acc.basis(Dim::Warp, bit, tileDim(kept)));
      EXPECT_EQ(operand->basis(Dim::Warp, bit, tileDim(depth)), 0u);
      if (rank == 3)
        EXPECT_EQ(operand->basis(Dim::Warp, bit, tileDim(0)), choice.acc.basis(Dim::Warp, bit, tileDim(0)));
    }
  }
  EXPECT_TRUE(choice.acc.isSurjective());
}

TEST_F(MmaChoiceTest, WholeTilesAreSpreadLikeTheTableOfTheInstruction) {
  auto choice = choose(BFloat16Type::get(&context), Float32Type::get(&context), {128, 128, 64}, 8, "sm_80");
  ASSERT_TRUE(choice);
  EXPECT_EQ(atomOf(choice), "#tileas.atom<mma_sync m16n8k16>");
  // 2 x 4 and 4 x 2 need as many bytes; the first is taken.
  layout::MmaTiling tiling{{16, 8, 16, 16}, 2, 4, 128, 128, 64};
  EXPECT_EQ(choice->acc, layout::mmaTile(MmaOperand::Accumulator, tiling)) << choice->acc.str();
  EXPECT_EQ(choice->lhs, layout::mmaTile(MmaOperand::A, tiling)) << choice->lhs.str();
  // The registers of the table stand in another order.
  EXPECT_EQ(choice->rhs.str(),
            "{register: (1,0) (8,0) (16,0) (32,0) (0,32) (0,64), lane: (2,0) (4,0) (0,1) (0,2) (0,4), "
            "warp: (0,0) (0,8) (0,16)} -> 64x128");
  LinearLayout table = layout::mmaTile(MmaOperand::B, tiling);
  for (Dim in : {Dim::Lane, Dim::Warp})
    EXPECT_EQ(choice->rhs.basisOf(in), table.basisOf(in));
}

TEST_F(MmaChoiceTest, TheInstructionFollowsTypesExtentsAndArchitecture) {
  Type f16 = Float16Type::get(&context), f32 = Float32Type::get(&context), f64 = Float64Type::get(&context);
  Type i8 = IntegerType::get(&context, 8), i32 = IntegerType::get(&context, 32);
  Type tf32 = FloatTF32Type::get(&context), f8 = Float8E5M2Type::get(&context);
  EXPECT_EQ(atomOf(choose(f16, f16, {64, 64, 64}, 4, "sm_80")), "#tileas.atom<mma_sync m16n8k16>");
  EXPECT_EQ(atomOf(choose(f16, f32, {64, 64, 8}, 4, "sm_80")), "#tileas.atom<mma_sync m16n8k8>");
  EXPECT_EQ(atomOf(choose(f16, f32, {64, 64, 4}, 4, "sm_80")), "#tileas.atom<fma>");
  EXPECT_EQ(atomOf(choose(f32, f32, {64, 64, 64}, 4, "sm_80")), "#tileas.atom<fma>");
  EXPECT_EQ(atomOf(choose(f32, f32, {64, 64, 64}, 4, "sm_80", tf32)), "#tileas.atom<mma_sync m16n8k8>");
  EXPECT_EQ(atomOf(choose(f64, f64, {64, 64, 64}, 4, "sm_80")), "#tileas.atom<mma_sync m8n8k4>");
  EXPECT_EQ(atomOf(choose(f64, f64, {64, 64, 64}, 4, "sm_90")), "#tileas.atom<mma_sync m16n8k16>");
  EXPECT_EQ(atomOf(choose(i8, i32, {64, 64, 16}, 4, "sm_80")), "#tileas.atom<mma_sync m16n8k16>");
  EXPECT_EQ(atomOf(choose(i8, f32, {64, 64, 64}, 4, "sm_89", f8)), "#tileas.atom<mma_sync m16n8k32>");
  EXPECT_EQ(atomOf(choose(i8, f32, {64, 64, 64}, 4, "sm_80", f8)), "#tileas.atom<fma>");
}

// As ptxas wants it: the larger instructions of f64 only for threads with 64 registers.
TEST_F(MmaChoiceTest, ManyBlocksOfAnSmLeaveFewRegistersForTheInstruction) {
  Type f64 = Float64Type::get(&context), bf16 = BFloat16Type::get(&context), f32 = Float32Type::get(&context);
  EXPECT_EQ(atomOf(choose(f64, f64, {64, 64, 64}, 4, "sm_90", {}, 8)), "#tileas.atom<mma_sync m16n8k16>");
  EXPECT_EQ(atomOf(choose(f64, f64, {64, 64, 64}, 4, "sm_90", {}, 9)), "#tileas.atom<mma_sync m8n8k4>");
  EXPECT_EQ(atomOf(choose(bf16, f32, {64, 64, 64}, 4, "sm_90", {}, 9)), "#tileas.atom<mma_sync m16n8k16>");
}

TEST_F(MmaChoiceTest, OperandsFollowTheAccumulatorForAllExtents) {
  Type bf16 = BFloat16Type::get(&context), f32 = Float32Type::get(&context), f64 = Float64Type::get(&context);
  for (int64_t warps : {1, 4, 8})
    for (int64_t m : {1, 2, 8, 16, 64})
      for (int64_t n : {1, 4, 8, 32})
        for (int64_t k : {1, 8, 16, 32})
          for (SmallVector<int64_t> extents : {SmallVector<int64_t>{m, n, k}, {4, m, n, k}})
            for (auto [element, accumulator] : {std::pair(bf16, f32), std::pair(f64, f64)}) {
              auto choice = choose(element, accumulator, extents, warps, "sm_90");
              ASSERT_TRUE(choice);
              EXPECT_EQ(choice->acc.inputSize(Dim::Warp), uint64_t(warps));
              EXPECT_EQ(choice->acc.inputSize(Dim::Lane), 32u);
              if (!choice->rhsInBuffer)
                expectOperands(*choice, warps);
            }
}

} // namespace
