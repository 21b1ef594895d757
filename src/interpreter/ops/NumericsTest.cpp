// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of operations on numbers in edge cases: each row is an operation, the bits of its operands, and those of its
// result. The bulk is compared with NumPy, ml_dtypes and mpmath in python/test/numerics/test_numerics_*.py.
#include "interpreter/Context.h"
#include "interpreter/Interpreter.h"
#include "interpreter/Monitor.h"
#include "mlir/IR/MLIRContext.h"
#include "support/ModuleText.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::interpreter;

namespace {

/// Keeps the tile that the last operation but the return gave, and the first thing that was undefined.
struct Recorder : Monitor {
  Tile last;
  std::string undefined;

  llvm::Error afterOp(Operation *op, Context &context) override {
    if (op->getNumResults() == 1 && llvm::isa<cuda_tile::TileType>(op->getResult(0).getType())) {
      last = context.tile(op->getResult(0));
    }
    return llvm::Error::success();
  }
  void violated(Operation *, Violation, const llvm::Twine &what) override {
    if (undefined.empty()) {
      undefined = what.str();
    }
  }
};

class NumericsTest : public ::testing::Test {
protected:
  NumericsTest() { context.loadDialect<cuda_tile::CudaTileDialect>(); }

  /// Runs the operations of `body` with %a, %b, ... of the types and bits given.
  Recorder run(const std::string &body, std::vector<std::pair<const char *, Bits>> operands) {
    std::string text = "cuda_tile.module @m { entry @main(";
    std::vector<void *> arguments;
    for (auto &[type, bits] : operands) {
      text += std::string(arguments.empty() ? "" : ", ") + "%" + char('a' + arguments.size()) + ": tile<" + type + ">";
      arguments.push_back(&bits);
    }
    text += ") { " + body + " return } }";
    Recorder recorder;
    OwningOpRef<ModuleOp> module = parseModuleText(llvm::MemoryBufferRef(text, "test"), &context);
    if (!module) {
      ADD_FAILURE() << text;
      return recorder;
    }
    Interpreter interpreter(*module->getOps<cuda_tile::ModuleOp>().begin());
    Options options;
    options.monitor = &recorder;
    auto result = interpreter.launch("main", {1, 1, 1}, arguments, options);
    EXPECT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
    return recorder;
  }

  MLIRContext context;
};

struct Row {
  const char *operation;
  std::vector<std::pair<const char *, Bits>> operands;
  Bits expected;
  /// The report of checked mode; null if all is defined.
  const char *undefined = "";
};

} // namespace

TEST_F(NumericsTest, Edges) {
  const char *tooLarge = "a float that does not fit the integer,";
  const char *promise = "signed overflow, which the operation promised would not happen,";
  const Row rows[] = {
      // Integers wrap; i1 is -1 where it is signed.
      {"addi %a, %b : tile<i8>", {{"i8", 0x7F}, {"i8", 1}}, 0x80},
      {"addi %a, %b overflow<no_signed_wrap> : tile<i8>", {{"i8", 0x7F}, {"i8", 1}}, 0x80, promise},
      {"addi %a, %b overflow<no_unsigned_wrap> : tile<i8>", {{"i8", 0x7F}, {"i8", 1}}, 0x80},
      {"muli %a, %b overflow<no_signed_wrap> : tile<i64>", {{"i64", 1ull << 62}, {"i64", 2}}, 1ull << 63, promise},
      {"muli %a, %b overflow<no_signed_wrap> : tile<i64>", {{"i64", ~0ull << 62}, {"i64", 2}}, 1ull << 63},
      {"muli %a, %b overflow<no_unsigned_wrap> : tile<i64>",
       {{"i64", ~0ull}, {"i64", ~0ull}},
       1,
       "unsigned overflow, which the operation promised would not happen,"},
      {"negi %a overflow<no_signed_wrap> : tile<i16>", {{"i16", 0x8000}}, 0x8000, promise},
      {"absi %a : tile<i8>", {{"i8", 0x80}}, 0x80},
      {"mulhii %a, %b : tile<i64>", {{"i64", ~0ull}, {"i64", ~0ull}}, ~0ull - 1},
      {"mulhii %a, %b : tile<i8>", {{"i8", 0xFF}, {"i8", 0xFF}}, 0xFE},
      {"divi %a, %b signed rounding<negative_inf> : tile<i32>", {{"i32", 0xFFFFFFF9}, {"i32", 2}}, 0xFFFFFFFC},
      {"divi %a, %b signed rounding<positive_inf> : tile<i32>", {{"i32", 7}, {"i32", 2}}, 4},
      {"divi %a, %b signed rounding<positive_inf> : tile<i32>", {{"i32", 0xFFFFFFF9}, {"i32", 2}}, 0xFFFFFFFD},
      {"divi %a, %b unsigned rounding<positive_inf> : tile<i8>", {{"i8", 0xFF}, {"i8", 2}}, 0x80},
      {"divi %a, %b signed : tile<i32>", {{"i32", 7}, {"i32", 0}}, 7, "division by zero"},
      {"divi %a, %b unsigned : tile<i32>", {{"i32", 7}, {"i32", 0}}, 7, "division by zero"},
      {"divi %a, %b signed : tile<i8>", {{"i8", 0x80}, {"i8", 0xFF}}, 0x80, "division of the smallest integer by -1"},
      {"divi %a, %b unsigned : tile<i8>", {{"i8", 0x80}, {"i8", 0xFF}}, 0},
      {"remi %a, %b signed : tile<i8>", {{"i8", 0xF9}, {"i8", 3}}, 0xFF},
      {"remi %a, %b signed : tile<i8>", {{"i8", 0x80}, {"i8", 0xFF}}, 0, "division of the smallest integer by -1"},
      {"remi %a, %b unsigned : tile<i8>", {{"i8", 7}, {"i8", 0}}, 0, "division by zero"},
      {"shli %a, %b : tile<i8>", {{"i8", 1}, {"i8", 9}}, 2, "shift by the width or more"},
      {"shli %a, %b overflow<no_unsigned_wrap> : tile<i64>",
       {{"i64", ~0ull}, {"i64", 63}},
       1ull << 63,
       "unsigned overflow, which the operation promised would not happen,"},
      {"shri %a, %b signed : tile<i8>", {{"i8", 0x80}, {"i8", 7}}, 0xFF},
      {"shri %a, %b unsigned : tile<i8>", {{"i8", 0x80}, {"i8", 0xFF}}, 1, "shift by the width or more"},
      {"maxi %a, %b signed : tile<i1>", {{"i1", 1}, {"i1", 0}}, 0},
      {"maxi %a, %b unsigned : tile<i1>", {{"i1", 1}, {"i1", 0}}, 1},
      {"cmpi less_than %a, %b, signed : tile<i8> -> tile<i1>", {{"i8", 0x80}, {"i8", 0}}, 1},
      {"cmpi less_than %a, %b, unsigned : tile<i8> -> tile<i1>", {{"i8", 0x80}, {"i8", 0}}, 0},

      // Sums that cancel are positive but when rounding down.
      {"subf %a, %a : tile<f32>", {{"f32", 0x3F800000}}, 0},
      {"subf %a, %a rounding<negative_inf> : tile<f32>", {{"f32", 0x3F800000}}, 0x80000000},
      {"addf %a, %b rounding<negative_inf> : tile<f16>", {{"f16", 0}, {"f16", 0x8000}}, 0x8000},
      {"addf %a, %b rounding<negative_inf> : tile<f16>", {{"f16", 0}, {"f16", 0}}, 0},
      {"addf %a, %b rounding<negative_inf> : tile<f64>", {{"f64", 0}, {"f64", 1ull << 63}}, 1ull << 63},
      {"fma %a, %b, %c rounding<negative_inf> : tile<f32>",
       {{"f32", 0x40000000}, {"f32", 0x3F800000}, {"f32", 0xC0000000}},
       0x80000000},
      // 1 + 2^-149: more bits than a double has.
      {"addf %a, %b rounding<positive_inf> : tile<f32>", {{"f32", 0x3F800000}, {"f32", 1}}, 0x3F800001},
      {"addf %a, %b rounding<zero> : tile<f32>", {{"f32", 0x3F800000}, {"f32", 0x80000001}}, 0x3F7FFFFF},
      // A product halfway between two numbers, and a third operand that decides.
      {"fma %a, %b, %c : tile<f32>", {{"f32", 0x3F800001}, {"f32", 0x3F800001}, {"f32", 0}}, 0x3F800002},
      {"fma %a, %b, %c : tile<f32>", {{"f32", 0x3F800001}, {"f32", 0x3FC00000}, {"f32", 0}}, 0x3FC00002},
      {"fma %a, %b, %c : tile<f32>", {{"f32", 0x3F800001}, {"f32", 0x3FC00000}, {"f32", 0x80000001}}, 0x3FC00001},
      // Overflow stays finite where the mode rounds towards zero.
      {"mulf %a, %b rounding<zero> : tile<f16>", {{"f16", 0x7BFF}, {"f16", 0x4000}}, 0x7BFF},
      {"mulf %a, %b : tile<f16>", {{"f16", 0x7BFF}, {"f16", 0x4000}}, 0x7C00},
      {"divf %a, %b : tile<f32>", {{"f32", 0x3F800000}, {"f32", 0x80000000}}, 0xFF800000},
      {"divf %a, %b rounding<positive_inf> : tile<f32>", {{"f32", 0x3F800000}, {"f32", 0x40400000}}, 0x3EAAAAAB},
      {"divf %a, %b rounding<negative_inf> : tile<f64>",
       {{"f64", 0x3FF0000000000000}, {"f64", 0x4008000000000000}},
       0x3FD5555555555555},
      {"sqrt %a rounding<positive_inf> : tile<f64>", {{"f64", 1}}, 0x1E60000000000000},
      {"sqrt %a rounding<positive_inf> : tile<f64>", {{"f64", 2}}, 0x1E66A09E667F3BCD},
      {"sqrt %a rounding<negative_inf> : tile<f64>", {{"f64", 2}}, 0x1E66A09E667F3BCC},
      {"sqrt %a : tile<f32>", {{"f32", 0xBF800000}}, 0x7FC00000},
      {"sqrt %a : tile<f32>", {{"f32", 0x80000000}}, 0x80000000},
      // Subnormal operands and results become zeros of their sign.
      {"mulf %a, %b flush_to_zero : tile<f32>", {{"f32", 0x80800000}, {"f32", 0x3F000000}}, 0x80000000},
      {"addf %a, %b flush_to_zero : tile<f32>", {{"f32", 0x807FFFFF}, {"f32", 0x80000001}}, 0x80000000},
      {"maxf %a, %b flush_to_zero : tile<f32>", {{"f32", 0x80000001}, {"f32", 0xFF800000}}, 0x80000000},
      {"sqrt %a flush_to_zero : tile<f32>", {{"f32", 0x007FFFFF}}, 0},
      {"exp2 %a flush_to_zero : tile<f32>", {{"f32", 0xC2FE0000}}, 0},
      {"exp2 %a : tile<f32>", {{"f32", 0xC2FE0000}}, 0x00400000},
      {"rsqrt %a flush_to_zero : tile<f32>", {{"f32", 0x80000001}}, 0xFF800000},

      {"maxf %a, %b : tile<f32>", {{"f32", 0x7FC00000}, {"f32", 0x3F800000}}, 0x3F800000},
      {"maxf %a, %b propagate_nan : tile<f32>", {{"f32", 0xFFC00001}, {"f32", 0x3F800000}}, 0x7FC00000},
      {"maxf %a, %b : tile<f32>", {{"f32", 0x80000000}, {"f32", 0}}, 0},
      {"minf %a, %b : tile<bf16>", {{"bf16", 0}, {"bf16", 0x8000}}, 0x8000},
      {"cmpf not_equal ordered %a, %a : tile<f32> -> tile<i1>", {{"f32", 0x7FC00000}}, 0},
      {"cmpf equal unordered %a, %a : tile<f32> -> tile<i1>", {{"f32", 0x7FC00000}}, 1},
      {"cmpf equal ordered %a, %b : tile<f32> -> tile<i1>", {{"f32", 0}, {"f32", 0x80000000}}, 1},
      {"negf %a : tile<f16>", {{"f16", 0x7E01}}, 0xFE01},
      {"absf %a : tile<f64>", {{"f64", ~0ull}}, ~0ull >> 1},
      {"remf %a, %b : tile<f32>", {{"f32", 0xC0A00000}, {"f32", 0x40000000}}, 0xBF800000},
      {"remf %a, %b : tile<f32>", {{"f32", 0xC0800000}, {"f32", 0x40000000}}, 0x80000000},
      {"remf %a, %b : tile<f32>", {{"f32", 0x3F800000}, {"f32", 0}}, 0x7FC00000},
      {"remf %a, %b : tile<f32>", {{"f32", 0x3F800000}, {"f32", 0x7F800000}}, 0x3F800000},
      {"fpowi %a, %b : tile<f32>, tile<i32>", {{"f32", 0x80000000}, {"i32", 0xFFFFFFFF}}, 0xFF800000},
      {"fpowi %a, %b : tile<f16>, tile<i8>", {{"f16", 0xC000}, {"i8", 3}}, 0xC800},
      {"ceil %a : tile<f32>", {{"f32", 0xBF000000}}, 0x80000000},

      {"ftoi %a signed : tile<f32> -> tile<i32>", {{"f32", 0xBFC00000}}, 0xFFFFFFFF},
      {"ftoi %a signed : tile<f32> -> tile<i32>", {{"f32", 0x4F000000}}, 0x7FFFFF80, tooLarge},
      {"ftoi %a signed saturating : tile<f32> -> tile<i32>", {{"f32", 0x4F000000}}, 0x7FFFFFFF},
      {"ftoi %a signed : tile<f32> -> tile<i32>", {{"f32", 0xCF000000}}, 0x80000000},
      {"ftoi %a signed : tile<f32> -> tile<i8>", {{"f32", 0x7FC00000}}, 0x80, tooLarge},
      {"ftoi %a signed saturating : tile<f32> -> tile<i8>", {{"f32", 0x7FC00000}}, 0},
      {"ftoi %a unsigned : tile<f64> -> tile<i64>", {{"f64", 0x7FF0000000000000}}, ~0ull << 11, tooLarge},
      {"ftoi %a unsigned : tile<f64> -> tile<i64>", {{"f64", 0x43E0000000000000}}, 1ull << 63},
      {"ftoi %a unsigned : tile<f32> -> tile<i8>", {{"f32", 0xBF000000}}, 0},
      {"ftoi %a unsigned : tile<f32> -> tile<i8>", {{"f32", 0xBF800000}}, 0, tooLarge},
      {"ftoi %a signed : tile<f32> -> tile<i1>", {{"f32", 0x3F000000}}, 1},
      {"ftoi %a unsigned saturating : tile<f32> -> tile<i1>", {{"f32", 0x80000000}}, 0},
      {"itof %a unsigned : tile<i64> -> tile<f32>", {{"i64", ~0ull}}, 0x5F800000},
      {"itof %a signed : tile<i64> -> tile<f32>", {{"i64", ~0ull}}, 0xBF800000},
      {"itof %a signed : tile<i64> -> tile<f16>", {{"i64", 1ull << 63}}, 0xFC00},
      {"itof %a signed : tile<i32> -> tile<f8E4M3FN>", {{"i32", 1000}}, 0x7E},
      {"itof %a signed : tile<i1> -> tile<f32>", {{"i1", 1}}, 0xBF800000},
      {"exti %a signed : tile<i1> -> tile<i32>", {{"i1", 1}}, 0xFFFFFFFF},
      {"exti %a unsigned : tile<i1> -> tile<i32>", {{"i1", 1}}, 1},
      {"trunci %a overflow<no_signed_wrap> : tile<i32> -> tile<i8>", {{"i32", 0xFFFFFF80}}, 0x80},
      {"trunci %a overflow<no_wrap> : tile<i32> -> tile<i8>", {{"i32", 0x80}}, 0x80, promise},
      // tf32 counts without its lower 13 bits.
      {"ftof %a rounding<nearest_away> : tile<f32> -> tile<tf32>", {{"f32", 0x3F801000}}, 0x3F802000},
      {"ftof %a : tile<f32> -> tile<tf32>", {{"f32", 0x3F801000}}, 0x3F800000},
      {"ftof %a : tile<tf32> -> tile<f32>", {{"tf32", 0x3F801FFF}}, 0x3F800000},
      // A NaN stays one whose payload lies only in those.
      {"ftof %a : tile<tf32> -> tile<f32>", {{"tf32", 0x7F800001}}, 0x7FC00000},
      {"ftof %a : tile<f32> -> tile<f16>", {{"f32", 0x33000000}}, 0},
      {"ftof %a : tile<f32> -> tile<f16>", {{"f32", 0x33000001}}, 1},
      {"ftof %a : tile<f32> -> tile<f8E5M2>", {{"f32", 0x7F800000}}, 0x7B},
      {"ftof %a rounding<positive_inf> : tile<f32> -> tile<f8E8M0FNU>", {{"f32", 0x3F800001}}, 128},
      {"ftof %a rounding<zero> : tile<f64> -> tile<f16>", {{"f64", 0x7FEFFFFFFFFFFFFF}}, 0x7BFF},
  };
  for (const Row &row : rows) {
    std::string operation = row.operation;
    Recorder recorder = run("%result = " + operation, row.operands);
    EXPECT_EQ(recorder.last.scalarBits(), row.expected)
        << operation << std::hex << " gives 0x" << recorder.last.scalarBits() << ", expected 0x" << row.expected;
    EXPECT_EQ(recorder.undefined, row.undefined) << operation;
  }
}

TEST_F(NumericsTest, SaysWhichElementIsUndefined) {
  Recorder recorder = run(R"(%x = constant <i8: [1, 2, 3, 4]> : tile<4xi8>
                             %y = constant <i8: [1, 1, 0, 0]> : tile<4xi8>
                             %result = divi %x, %y signed : tile<4xi8>)",
                          {});
  EXPECT_EQ(recorder.undefined, "division by zero in element 2");
  EXPECT_EQ(recorder.last.bits, (llvm::SmallVector<Bits, 1>{1, 2, 3, 4}));
}

TEST_F(NumericsTest, PacksLowBitsFirst) {
  using Elements = llvm::SmallVector<Bits, 1>;
  EXPECT_EQ(run("%x = constant <i16: [258, 772]> : tile<2xi16> %y = pack %x : tile<2xi16> -> tile<4xi8>", {}).last.bits,
            (Elements{2, 1, 4, 3}));
  EXPECT_EQ(
      run("%x = constant <i8: [33, 67]> : tile<2xi8> %y = unpack %x : tile<2xi8> -> tile<4xf4E2M1FN>", {}).last.bits,
      (Elements{1, 2, 3, 4}));
  EXPECT_EQ(run("%x = constant <i8: [5]> : tile<1xi8> %y = unpack %x : tile<1xi8> -> tile<8xi1>", {}).last.bits,
            (Elements{1, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(
      run("%x = constant <i8: [1, 2, 3, 4, 5, 6, 7, 8]> : tile<8xi8> %y = unpack %x : tile<8xi8> -> tile<1xi64>", {})
          .last.bits,
      (Elements{0x0807060504030201}));
}

TEST_F(NumericsTest, MultipliesMatrices) {
  using Elements = llvm::SmallVector<Bits, 1>;
  // [[1, -1]] * [[3, 5], [2, 7]] + [[10, 20]], the second operand unsigned or not.
  const char *integers = R"(%x = constant <i8: [[1, -1]]> : tile<1x2xi8>
                            %y = constant <i8: [[3, -1], [2, 7]]> : tile<2x2xi8>
                            %z = constant <i32: [[10, 20]]> : tile<1x2xi32>
                            %r = mmai %x, %y, %z signed )";
  std::string types = " : tile<1x2xi8>, tile<2x2xi8>, tile<1x2xi32>";
  EXPECT_EQ(run(integers + ("signed" + types), {}).last.bits, (Elements{11, 12}));
  EXPECT_EQ(run(integers + ("unsigned" + types), {}).last.bits, (Elements{11, 268}));
  // Scales: K is 32 in two groups of 16; 1 * 1 * (1 * 2) * 16 + 1 * 1 * (4 * 8) * 16 = 544.
  EXPECT_EQ(run(R"(%x = constant <f4E2M1FN: 1.0> : tile<1x32xf4E2M1FN>
                   %y = constant <f4E2M1FN: 1.0> : tile<32x1xf4E2M1FN>
                   %z = constant <f32: 0.0> : tile<1x1xf32>
                   %s = constant <f8E4M3FN: [[1.0, 4.0]]> : tile<1x2xf8E4M3FN>
                   %t = constant <f8E4M3FN: [[2.0], [8.0]]> : tile<2x1xf8E4M3FN>
                   %r = mmaf_scaled %x, %y, %z, %s, %t : tile<1x32xf4E2M1FN>, tile<32x1xf4E2M1FN>, tile<1x1xf32>,
                                                         tile<1x2xf8E4M3FN>, tile<2x1xf8E4M3FN>)",
                {})
                .last.bits,
            (Elements{0x44080000}));
  // Sums go by the order of k and are rounded at the end: 2^24 + 1 + 1 in f32.
  EXPECT_EQ(run(R"(%x = constant <f32: [[16777216.0, 1.0, 1.0, 0.0]]> : tile<1x4xf32>
                   %y = constant <f32: 1.0> : tile<4x1xf32>
                   %z = constant <f32: 0.0> : tile<1x1xf32>
                   %r = mmaf %x, %y, %z : tile<1x4xf32>, tile<4x1xf32>, tile<1x1xf32>)",
                {})
                .last.bits,
            (Elements{0x4B800001}));
}
