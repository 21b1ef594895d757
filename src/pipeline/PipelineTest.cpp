// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/Pipeline.h"
#include "mlir/Parser/Parser.h"
#include "pipeline/entry/EntryInterface.h"
#include "runtime/Executable.h"
#include "gtest/gtest.h"

using namespace tilewright;

namespace {

constexpr const char *addModule = R"mlir(
cuda_tile.module @kernels {
  entry @add(%a: tile<ptr<f32>>, %n: tile<i32>, %b: tile<ptr<f32>>, %out: tile<ptr<f32>>) {
    %token = make_token : token
    %va = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vb = make_tensor_view %b, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %vo = make_tensor_view %out, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %pa = make_partition_view %va : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %pb = make_partition_view %vb : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %po = make_partition_view %vo : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>
    %ta, %t1 = load_view_tko weak %pa[%x] token = %token : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %tb, %t2 = load_view_tko weak %pb[%x] token = %token : partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
    %sum = addf %ta, %tb : tile<16xf32>
    %t3 = store_view_tko weak %sum, %po[%x] token = %token : tile<16xf32>, partition_view<tile=(16), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
)mlir";

mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context, const std::string &text) {
  mlir::DialectRegistry registry;
  registerPipelineDialects(registry);
  context.appendDialectRegistry(registry);
  return mlir::parseSourceString<mlir::ModuleOp>(text, &context, "module.mlir");
}

} // namespace

TEST(Pipeline, levelsHaveNames) {
  for (const LevelInfo &info : levels())
    EXPECT_EQ(nameOf(info.level), info.name);
  TargetRef target = cpuTarget(hostMachine());
  for (Level level : target->levels())
    EXPECT_EQ(llvm::cantFail(target->parseLevel(nameOf(level))), level);
  EXPECT_EQ(llvm::toString(target->parseLevel("ptx").takeError()),
            "target cpu:host has no level 'ptx', expected one of cuda_tile, tilebc, tileaa, linalg, plan, llvm, asm, "
            "obj, so");
}

TEST(Pipeline, everyLevelOnEveryMachine) {
  for (const Machine &machine : knownMachines()) {
    TargetRef target = cpuTarget(machine);
    for (Level level : target->levels()) {
      PipelineReport report;
      auto result = compileTo(level, addModule, "module.mlir", target, {}, report);
      ASSERT_TRUE(bool(result)) << machine.name << ' ' << nameOf(level).str() << ": "
                                << llvm::toString(result.takeError());
      EXPECT_FALSE(result->empty());
    }
  }
}

TEST(Pipeline, eachLevelCanBeTheStartOfTheNext) {
  PipelineReport report;
  TargetRef machine = cpuTarget(hostMachine());
  auto direct = compileTo(Level::Asm, addModule, "m", machine, {}, report);
  ASSERT_TRUE(bool(direct));
  for (Level level : {Level::CudaTile, Level::Tileaa, Level::Linalg}) {
    auto text = compileTo(level, addModule, "m", machine, {}, report);
    ASSERT_TRUE(bool(text));
    auto again = compileTo(Level::Asm, *text, "m", machine, {}, report);
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(*again, *direct);
  }
}

TEST(Pipeline, theImageRuns) {
  PipelineReport report;
  auto image = compileToImage(addModule, "m", hostMachine(), {}, report);
  ASSERT_TRUE(bool(image)) << llvm::toString(image.takeError());
  auto executable = Executable::load(std::move(*image));
  ASSERT_TRUE(bool(executable));
  const Executable::Entry *entry = (*executable)->find("add");
  ASSERT_TRUE(entry);
  constexpr int32_t n = 100;
  std::vector<float> a(n), b(n), out(n + 16, -1.0f);
  for (int i = 0; i < n; ++i)
    a[i] = i, b[i] = 0.5f * i;
  void *pa = a.data(), *pb = b.data(), *po = out.data();
  int32_t count = n;
  void *args[] = {&pa, &count, &pb, &po};
  EXPECT_FALSE(Scheduler(2).launch(*entry, args, {7, 1, 1}).failure);
  for (int i = 0; i < n; ++i)
    EXPECT_EQ(out[i], 1.5f * i);
  for (int i = n; i < n + 16; ++i)
    EXPECT_EQ(out[i], -1.0f);
}

TEST(Pipeline, dumpsAndTimingAreReported) {
  PipelineOptions options;
  options.dumpAfter = {"cuda-tile-to-tileaa"};
  options.timing = true;
  PipelineReport report;
  ASSERT_TRUE(bool(compileTo(Level::Asm, addModule, "m", cpuTarget(hostMachine()), options, report)));
  EXPECT_NE(report.dumps.find("IR Dump After"), std::string::npos);
  EXPECT_EQ(report.dumps.find("IR Dump Before"), std::string::npos);
  EXPECT_EQ(report.dumps.find("IR Dump After", report.dumps.find("IR Dump After") + 1), std::string::npos);
  for (const char *step : {"parse and verify", "tileaa to linalg", "LLVM optimizer", "code generation"})
    EXPECT_NE(report.timing.find(step), std::string::npos) << report.timing;
}

TEST(Pipeline, aBrokenModuleIsADiagnosticWithItsLine) {
  PipelineReport report;
  auto result = compileTo(Level::Asm, "cuda_tile.module @m {\n  entry @k() { %0 = addf }\n}", "broken.mlir",
                          cpuTarget(hostMachine()), {}, report);
  ASSERT_FALSE(bool(result));
  std::string text = llvm::toString(result.takeError());
  EXPECT_EQ(text.find("broken.mlir:2:"), 0u) << text;
}

// Needs no GPU and, up to here, no assembler: the description of a launch precedes the cubin.
TEST(Pipeline, aGpuImageSaysHowItsKernelsAreLaunched) {
  if (nvidia::findAssemblers({}).empty())
    GTEST_SKIP() << "no assembler of PTX found";
  PipelineReport report;
  const nvidia::Architecture &architecture = *llvm::cantFail(nvidia::parseArchitecture("sm_90"));
  auto image = compileToGpuImage(addModule, "m", architecture, /*driver=*/0, {}, report);
  ASSERT_TRUE(bool(image)) << llvm::toString(image.takeError());
  EXPECT_EQ(image->architecture, "sm_90a");
  EXPECT_EQ(image->code.substr(1, 3), "ELF");
  ASSERT_EQ(image->entries.size(), 1u);
  const cuda::GpuEntry &entry = image->entries[0];
  EXPECT_EQ(entry.name, "add");
  EXPECT_EQ(entry.threads % 32, 0u);
  EXPECT_GT(entry.threads, 0u);
  ASSERT_EQ(entry.parameters.size(), 4u);
  EXPECT_EQ(entry.parameters[1].kind, EntryParameter::Kind::Integer);
  EXPECT_TRUE(entry.parameters[3].written);
  EXPECT_FALSE(entry.parameters[0].written);
  auto again = cuda::GpuImage::deserialize(image->serialize());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(again->code, image->code);
}

TEST(EntryInterface, parametersAndWhichAreWritten) {
  mlir::MLIRContext context;
  auto module = parse(context, addModule);
  ASSERT_TRUE(module);
  std::vector<EntryInfo> entries = describeEntries(*module);
  ASSERT_EQ(entries.size(), 1u);
  const std::vector<EntryParameter> &parameters = entries[0].parameters;
  EXPECT_EQ(entries[0].name, "add");
  ASSERT_EQ(parameters.size(), 4u);
  EXPECT_EQ(parameters[0].kind, EntryParameter::Kind::Pointer);
  EXPECT_EQ(parameters[0].bits, 32u);
  EXPECT_EQ(parameters[1].kind, EntryParameter::Kind::Integer);
  EXPECT_FALSE(parameters[0].written);
  EXPECT_FALSE(parameters[2].written);
  EXPECT_TRUE(parameters[3].written);
}

TEST(EntryInterface, identityIgnoresPlacesButNotThoseOfAsserts) {
  mlir::MLIRContext context;
  std::string text(addModule);
  auto module = parse(context, text), moved = parse(context, "\n\n" + text);
  EXPECT_EQ(identityText(*module), identityText(*moved));

  const std::string assertion = R"mlir(
cuda_tile.module @m {
  entry @k(%c: tile<i1>) {
    assert %c, "bad" : tile<i1>
    return
  }
})mlir";
  auto checked = parse(context, assertion), checkedBelow = parse(context, "\n" + assertion);
  ASSERT_TRUE(checked && checkedBelow);
  EXPECT_NE(identityText(*checked), identityText(*checkedBelow));
}
