// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Scalar.h"

#include <gtest/gtest.h>

using namespace tilewright::predict;

namespace {

TEST(Scalar, EvaluatesWhatALaunchKnows) {
  Scalars scalars;
  ScalarId depth = scalars.make(ScalarKind::Parameter, 1, {}, 32), tile = scalars.constant(64);
  ScalarId trips = scalars.make(ScalarKind::CeilDivS, 0, {depth, tile}, 32);
  ScalarId x = scalars.make(ScalarKind::BlockId, 0), offset = scalars.make(ScalarKind::Mul, 0, {x, tile});
  ScalarId grid = scalars.make(ScalarKind::Grid, 2), blocks = scalars.make(ScalarKind::Blocks, 0);
  Launch launch{{7, 1, 5}, {std::nullopt, 1000}};
  Evaluator evaluate(scalars, launch, {4, 1, 1});
  EXPECT_EQ(evaluate(trips).known(), 16);
  EXPECT_EQ(evaluate(grid).known(), 5);
  EXPECT_EQ(evaluate(blocks).known(), 4);
  EXPECT_EQ(evaluate(offset).known(), 0);
  evaluate.enterBlock({3, 0, 0});
  EXPECT_EQ(evaluate(offset).known(), 192);
}

TEST(Scalar, WrapsToItsBits) {
  Scalars scalars;
  ScalarId most = scalars.constant(INT32_MAX), one = scalars.constant(1);
  ScalarId sum = scalars.make(ScalarKind::Add, 0, {most, one}, 32);
  ScalarId isLess = scalars.make(ScalarKind::CompareSlt, 0, {sum, one}, 1);
  ScalarId minusOne = scalars.make(ScalarKind::Sub, 0, {scalars.constant(0), one}, 32);
  ScalarId wide = scalars.make(ScalarKind::ZeroExtend, 32, {minusOne});
  ScalarId quotient = scalars.make(ScalarKind::FloorDivS, 0, {minusOne, scalars.constant(2)}, 32);
  Launch launch;
  Evaluator evaluate(scalars, launch, {1, 1, 1});
  EXPECT_EQ(evaluate(sum).known(), INT32_MIN);
  EXPECT_EQ(evaluate(isLess).known(), 1);
  EXPECT_EQ(evaluate(wide).known(), UINT32_MAX);
  EXPECT_EQ(evaluate(quotient).known(), -1);
}

// A value that was loaded is not known, but equal where it was loaded from the same place.
TEST(Scalar, ComparesUnknownValues) {
  Scalars scalars;
  ScalarId x = scalars.make(ScalarKind::BlockId, 0);
  ScalarId row = scalars.make(ScalarKind::ShiftRightS, 0, {x, scalars.constant(1)});
  ScalarId loaded = scalars.make(ScalarKind::Mix, 17, {row});
  ScalarId sum = scalars.make(ScalarKind::Add, 0, {loaded, scalars.constant(1)});
  Launch launch;
  Evaluator evaluate(scalars, launch, {4, 1, 1});
  auto at = [&](int64_t block) {
    evaluate.enterBlock({block, 0, 0});
    EXPECT_FALSE(evaluate(sum).isKnown);
    return evaluate(sum).number;
  };
  EXPECT_EQ(at(0), at(1));
  EXPECT_NE(at(1), at(2));
}

TEST(Scalar, ChoosesByAKnownCondition) {
  Scalars scalars;
  ScalarId given = scalars.make(ScalarKind::Parameter, 0), absent = scalars.make(ScalarKind::Parameter, 1);
  ScalarId chosen = scalars.make(ScalarKind::Select, 0, {scalars.constant(1), given, absent});
  ScalarId quotient = scalars.make(ScalarKind::DivS, 0, {given, scalars.constant(0)});
  Launch launch{{1, 1, 1}, {42}};
  Evaluator evaluate(scalars, launch, {1, 1, 1});
  EXPECT_EQ(evaluate(chosen).known(), 42);
  EXPECT_FALSE(evaluate(absent).isKnown);
  EXPECT_FALSE(evaluate(quotient).isKnown); // of no value
}

TEST(Scalar, HasTheLargestOfWhatAnUnknownConditionChooses) {
  Scalars scalars;
  ScalarId loaded = scalars.make(ScalarKind::Mix, 17, {scalars.make(ScalarKind::BlockId, 0)});
  ScalarId steps = scalars.make(ScalarKind::Parameter, 0), none = scalars.constant(0);
  ScalarId chosen = scalars.make(ScalarKind::Select, 0, {loaded, steps, none});
  ScalarId other = scalars.make(ScalarKind::Select, 0, {loaded, chosen, loaded});
  Launch launch{{1, 1, 1}, {42}};
  Evaluator evaluate(scalars, launch, {1, 1, 1});
  EXPECT_FALSE(evaluate(chosen).isKnown);
  EXPECT_EQ(evaluate.most(chosen), 42);
  EXPECT_EQ(evaluate.most(steps), 42);
  EXPECT_EQ(evaluate.most(other), std::nullopt);
}

TEST(Scalar, FollowsVariablesOfLoops) {
  Scalars scalars;
  ScalarId i = scalars.make(ScalarKind::Variable, 0), k = scalars.make(ScalarKind::Variable, 1);
  ScalarId sum = scalars.make(ScalarKind::Add, 0, {i, k});
  Launch launch;
  Evaluator evaluate(scalars, launch, {1, 1, 1});
  evaluate.setVariable(i, {10, true});
  evaluate.setVariable(k, {1, true});
  EXPECT_EQ(evaluate(sum).known(), 11);
  evaluate.setVariable(k, {2, true});
  EXPECT_EQ(evaluate(sum).known(), 12);
}

} // namespace
