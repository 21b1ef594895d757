// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/explain/LaunchFacts.h"

#include "gtest/gtest.h"

using namespace tilewright;
using Kind = LaunchArgument::Kind;

namespace {

EntryParameter parameter(EntryParameter::Kind kind, unsigned bits, const char *element) {
  EntryParameter made;
  made.kind = kind;
  made.bits = bits;
  made.element = element;
  return made;
}

const EntryParameter pointer = parameter(EntryParameter::Kind::Pointer, 16, "bf16"),
                     integer = parameter(EntryParameter::Kind::Integer, 32, "i32"),
                     fraction = parameter(EntryParameter::Kind::Float, 32, "f32");
// A matrix in cuTile's convention, and two numbers.
const std::vector<EntryParameter> matrix = {pointer, integer, integer, integer, integer, fraction, integer};

LaunchArgument argument(const char *text) {
  return llvm::cantFail(parseLaunchArgument(text));
}

std::string errorOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

std::string launchError(std::vector<std::string> arguments, llvm::ArrayRef<EntryParameter> parameters) {
  auto facts = llvm::cantFail(parseLaunchFacts("4,2", arguments));
  return errorOf(launchOf(*facts, "gemm", parameters).takeError());
}

} // namespace

TEST(LaunchFacts, ReadGrids) {
  EXPECT_EQ(llvm::cantFail(parseGrid("64")), (std::array<int64_t, 3>{64, 1, 1}));
  EXPECT_EQ(llvm::cantFail(parseGrid("4,2,3")), (std::array<int64_t, 3>{4, 2, 3}));
  for (const char *wrong : {"", "0", "4,", "4x2", "1,2,3,4", "-1", "many"})
    EXPECT_EQ(errorOf(parseGrid(wrong).takeError()),
              std::string("--grid ") + wrong + ": expected one to three positive numbers, as in 4,2,1");
}

TEST(LaunchFacts, ReadArguments) {
  EXPECT_EQ(argument("-").kind, Kind::Unknown);
  EXPECT_EQ(argument("ptr").kind, Kind::Pointer);
  EXPECT_EQ(argument("0x40").integer, 64);
  EXPECT_EQ(argument("-1").integer, -1);
  EXPECT_EQ(argument("true").integer, 1);
  EXPECT_EQ(argument("2.5").kind, Kind::Number);
  EXPECT_FALSE(argument("2.5").integer);
  LaunchArgument array = argument("bf16:4x3x2");
  EXPECT_EQ(array.kind, Kind::Array);
  EXPECT_EQ(array.element, "bf16");
  EXPECT_EQ(array.strides(), (std::vector<int64_t>{6, 2, 1}));
  EXPECT_FALSE(array.isTensor);
  EXPECT_EQ(argument("zeros:16x32").element, ""); // as of `tilewright run`
  EXPECT_EQ(argument("tensor:zeros:16x32").shape, (std::vector<int64_t>{16, 32}));
  EXPECT_TRUE(argument("tensor:16").isTensor);
  for (const char *wrong : {"", "a.npy", "4x0", "4x", "bf16:", "tensor:", "tensor:ptr", "4,4"})
    EXPECT_NE(errorOf(parseLaunchArgument(wrong).takeError()).find("expected a number, a shape as in 4096x4096"),
              std::string::npos)
        << wrong;
}

TEST(LaunchFacts, NeedAGrid) {
  EXPECT_FALSE(llvm::cantFail(parseLaunchFacts("", {})));
  EXPECT_EQ(errorOf(parseLaunchFacts("", {"7"}).takeError()),
            "--arg 7 without --grid, expected both, as in --grid=64,64");
}

TEST(LaunchFacts, FillParameters) {
  auto facts = llvm::cantFail(parseLaunchFacts("4,2", {"tensor:bf16:64x32", "1.5", "-"}));
  predict::Launch launch = llvm::cantFail(launchOf(*facts, "gemm", matrix));
  EXPECT_EQ(launch.grid, (std::array<int64_t, 3>{4, 2, 1}));
  std::vector<std::optional<int64_t>> expected = {addressOfParameter(0), 64, 32, 32, 1, std::nullopt, std::nullopt};
  EXPECT_EQ(launch.parameters, expected);
  // Each parameter for itself.
  facts = llvm::cantFail(parseLaunchFacts("4", {"ptr", "64", "32", "32", "1", "0", "7"}));
  EXPECT_EQ(llvm::cantFail(launchOf(*facts, "gemm", matrix)).parameters.back(), 7);
}

TEST(LaunchFacts, MayBeTheGridAlone) {
  auto facts = llvm::cantFail(parseLaunchFacts("4", {}));
  predict::Launch launch = llvm::cantFail(launchOf(*facts, "gemm", {pointer, integer, pointer}));
  EXPECT_FALSE(launch.parameters[1]);
  EXPECT_NE(launch.parameters[0], launch.parameters[2]);
}

TEST(LaunchFacts, NameWhatIsWrong) {
  EXPECT_EQ(launchError({"ptr"}, {pointer, integer}), "gemm takes 2 values (%arg0: ptr<bf16>, %arg1: i32), found 1");
  EXPECT_EQ(launchError({"7", "8"}, {integer}), "gemm takes 1 values (%arg0: i32), found 1; --arg 8 is one too many");
  EXPECT_EQ(launchError({"7"}, {}), "gemm takes 0 values (nothing), found 0; --arg 7 is one too many");
  EXPECT_EQ(launchError({"f32:4x4"}, {pointer}),
            "--arg f32:4x4 for %arg0: ptr<bf16>: found an array of f32, expected bf16");
  EXPECT_EQ(launchError({"-7"}, {pointer}), "--arg -7 for %arg0: ptr<bf16>: found a number, expected a shape as in "
                                            "4096x4096, or ptr for any address");
  EXPECT_EQ(launchError({"ptr"}, {integer}), "--arg ptr for %arg0: i32: expected a number, or - where it is not known: "
                                             "the parameter is no pointer");
  EXPECT_EQ(launchError({"2.5"}, {integer}), "--arg 2.5 for %arg0: i32: expected an integer");
  EXPECT_EQ(launchError({"5000000000"}, {integer}),
            "--arg 5000000000 for %arg0: i32: found 5000000000, expected a number from -2147483648 to 4294967295");
  EXPECT_EQ(launchError({"tensor:4x4"}, {pointer, integer, fraction}),
            "--arg tensor:4x4 for %arg0: ptr<bf16>: expected an integer parameter for extent 4, found %arg2: f32");
  EXPECT_EQ(
      launchError({"tensor:4"}, {pointer, integer}),
      "--arg tensor:4 for %arg0: ptr<bf16>: expected an integer parameter for stride 1, found no more parameters");
}
