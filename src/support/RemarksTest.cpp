// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Remarks.h"
#include "mlir/IR/Remarks.h"
#include "gtest/gtest.h"

using namespace tilewright;
namespace remark = mlir::remark;

namespace {

// One of each kind.
std::vector<OptimizationRemark> emitSome() {
  std::vector<OptimizationRemark> remarks;
  mlir::MLIRContext context;
  collectRemarks(context, remarks);
  mlir::Location place = mlir::FileLineColLoc::get(&context, "kernel.py", 7, 3);
  auto memory = remark::RemarkOpts::name("VectorLoad").category("Memory").function("add");
  auto products = remark::RemarkOpts::name("Mma").category("TensorCore").function("gemm");
  remark::passed(place, memory) << remark::add("load of {0} bytes a thread", 16) << remark::metric("Bytes", 16);
  remark::missed(place, memory) << remark::add("no TMA") << remark::reason("stride not a multiple of 16 bytes");
  remark::failed(mlir::UnknownLoc::get(&context), products) << remark::add("no tensor core");
  remark::analysis(place, products) << remark::add("1024 products");
  return remarks;
}

} // namespace

TEST(Remarks, areCollectedWithTheirPlace) {
  auto remarks = emitSome();
  ASSERT_EQ(remarks.size(), 4u);
  EXPECT_EQ(remarks[0].kind, OptimizationRemark::Kind::Passed);
  EXPECT_EQ(remarks[0].category, "Memory");
  EXPECT_EQ(remarks[0].function, "add");
  EXPECT_EQ(remarks[0].file, "kernel.py");
  EXPECT_EQ(remarks[0].line, 7u);
  EXPECT_EQ(remarks[0].column, 3u);
  EXPECT_EQ(remarks[0].message(), "load of 16 bytes a thread");
  EXPECT_EQ(remarks[1].kind, OptimizationRemark::Kind::Missed);
  EXPECT_EQ(remarks[2].kind, OptimizationRemark::Kind::Failed);
  EXPECT_TRUE(remarks[2].file.empty());
  EXPECT_EQ(remarks[3].kind, OptimizationRemark::Kind::Analysis);
}

TEST(Remarks, areChosenByKindAndCategory) {
  auto remarks = emitSome();
  RemarkFilter filter;
  EXPECT_FALSE(filter.takesAny());
  filter.choices[0] = RemarkFilter::Choice::TensorCore;
  EXPECT_TRUE(filter.takesAny());
  EXPECT_FALSE(filter.takes(remarks[0]));
  filter.choices[0] = RemarkFilter::Choice::Memory;
  EXPECT_TRUE(filter.takes(remarks[0]));
  EXPECT_FALSE(filter.takes(remarks[1]));
  filter.choices[2] = RemarkFilter::Choice::All;
  EXPECT_TRUE(filter.takes(remarks[2]));
}

TEST(Remarks, forATerminal) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printRemarks(emitSome(), os);
  EXPECT_EQ(text, R"(in function: add:

  category: Memory
    remark[passed]: load of 16 bytes a thread
      --> "kernel.py":7:3
       |
       = name: VectorLoad
       = note: Bytes = 16

    remark[missed]: no TMA
      --> "kernel.py":7:3
       |
       = name: VectorLoad
       = reason: stride not a multiple of 16 bytes

in function: gemm:

  category: TensorCore
    remark[failed]: no tensor core
       |
       = name: Mma

    remark[analysis]: 1024 products
      --> "kernel.py":7:3
       |
       = name: Mma

)");
}

TEST(Remarks, asYaml) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto remarks = emitSome();
  ASSERT_FALSE(writeRemarksAsYaml(llvm::ArrayRef(remarks).slice(1, 2), os));
  EXPECT_EQ(text, R"(--- !Missed
Pass:            Memory
Name:            VectorLoad
DebugLoc:        { File: kernel.py, Line: 7, Column: 3 }
Function:        add
Args:
  - Remark:          no TMA
  - Reason:          stride not a multiple of 16 bytes
...
--- !Failure
Pass:            TensorCore
Name:            Mma
Function:        gemm
Args:
  - Remark:          no tensor core
...
)");
}
