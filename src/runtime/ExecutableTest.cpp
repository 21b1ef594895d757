// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels written by hand in MLIR's llvm dialect, through code generation, linking and the scheduler.
#include "runtime/Executable.h"
#include "mlir/Parser/Parser.h"
#include "support/Guard.h"
#include "target/cpu/CodeGen.h"
#include "llvm/IR/Module.h"
#include "gtest/gtest.h"
#include <cmath>
#include <thread>
#include <vector>

using namespace tilewright;

namespace {

// out[block] += 1, so that a block which ran twice or never is seen.
constexpr const char *countBlocks = R"mlir(
llvm.func @count(%args: !llvm.ptr, %x: i64, %y: i64, %z: i64, %first: i64, %last: i64, %scratch: !llvm.ptr, %context: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %one32 = llvm.mlir.constant(1 : i32) : i32
  %slot = llvm.load %args : !llvm.ptr -> !llvm.ptr
  %out = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  llvm.br ^loop(%first : i64)
^loop(%block: i64):
  %more = llvm.icmp "slt" %block, %last : i64
  llvm.cond_br %more, ^body, ^done
^body:
  %p = llvm.getelementptr %out[%block] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %old = llvm.load %p : !llvm.ptr -> i32
  %new = llvm.add %old, %one32 : i32
  llvm.store %new, %p : i32, !llvm.ptr
  %next = llvm.add %block, %one : i64
  llvm.br ^loop(%next : i64)
^done:
  llvm.return
}
)mlir";

// Fails in every block from 5 on; prints the block id before.
constexpr const char *failFromFive = R"mlir(
llvm.func @tilewright_assert_fail(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64, !llvm.ptr, i64)
llvm.func @tilewright_print(!llvm.ptr, !llvm.ptr, i64, !llvm.ptr)
llvm.mlir.global internal constant @message("too many\00")
llvm.mlir.global internal constant @file("kernel.py\00")
llvm.mlir.global internal constant @format("block %d\0A\00")
llvm.func @fail(%args: !llvm.ptr, %x: i64, %y: i64, %z: i64, %first: i64, %last: i64, %scratch: !llvm.ptr, %context: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %five = llvm.mlir.constant(5 : i64) : i64
  %line = llvm.mlir.constant(42 : i64) : i64
  %i64 = llvm.mlir.constant(4 : i32) : i32
  %rank = llvm.mlir.constant(0 : i32) : i32
  %message = llvm.mlir.addressof @message : !llvm.ptr
  %file = llvm.mlir.addressof @file : !llvm.ptr
  %format = llvm.mlir.addressof @format : !llvm.ptr
  %typeSlot = llvm.getelementptr %scratch[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %rankSlot = llvm.getelementptr %scratch[12] : (!llvm.ptr) -> !llvm.ptr, i8
  %value = llvm.getelementptr %scratch[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %value, %scratch : !llvm.ptr, !llvm.ptr
  llvm.store %i64, %typeSlot : i32, !llvm.ptr
  llvm.store %rank, %rankSlot : i32, !llvm.ptr
  llvm.br ^loop(%first : i64)
^loop(%block: i64):
  %more = llvm.icmp "slt" %block, %last : i64
  llvm.cond_br %more, ^body, ^done
^body:
  llvm.store %block, %value : i64, !llvm.ptr
  llvm.call @tilewright_print(%context, %format, %one, %scratch) : (!llvm.ptr, !llvm.ptr, i64, !llvm.ptr) -> ()
  %bad = llvm.icmp "sge" %block, %five : i64
  llvm.cond_br %bad, ^fail, ^continue
^fail:
  llvm.call @tilewright_assert_fail(%context, %message, %file, %line, %block, %zero, %zero, %scratch, %one) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64, i64, i64, !llvm.ptr, i64) -> ()
  llvm.unreachable
^continue:
  %next = llvm.add %block, %one : i64
  llvm.br ^loop(%next : i64)
^done:
  llvm.return
}
)mlir";

// Both 16-bit conversions and a remainder: library calls on the machines without the instructions.
constexpr const char *convert = R"mlir(
llvm.func @convert(%args: !llvm.ptr, %x: i64, %y: i64, %z: i64, %first: i64, %last: i64, %scratch: !llvm.ptr, %context: !llvm.ptr) {
  %slot = llvm.load %args : !llvm.ptr -> !llvm.ptr
  %data = llvm.load %slot : !llvm.ptr -> !llvm.ptr
  %value = llvm.load %data : !llvm.ptr -> f32
  %half = llvm.fptrunc %value : f32 to f16
  %wide = llvm.fpext %half : f16 to f32
  %p1 = llvm.getelementptr %data[1] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %wide, %p1 : f32, !llvm.ptr
  %bfloat = llvm.fptrunc %value : f32 to bf16
  %wider = llvm.fpext %bfloat : bf16 to f32
  %p2 = llvm.getelementptr %data[2] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %wider, %p2 : f32, !llvm.ptr
  %seven = llvm.mlir.constant(0.7 : f32) : f32
  %rest = llvm.frem %value, %seven : f32
  %p3 = llvm.getelementptr %data[3] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %rest, %p3 : f32, !llvm.ptr
  llvm.return
}
)mlir";

std::shared_ptr<Executable> build(const char *text, const char *name, const Machine &machine = hostMachine(),
                                  unsigned optLevel = 1) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::LLVM::LLVMDialect>();
  registerCpuTranslation(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  CodeGenOptions options;
  options.optLevel = optLevel;
  llvm::LLVMContext llvmContext;
  auto ir = llvm::cantFail(translateToLLVM(*module, llvmContext, machine, options));
  llvm::cantFail(optimize(*ir, machine, options));
  auto object = llvm::cantFail(emitCode(*ir, machine, CodeKind::Object, options));
  Image image;
  image.entries.push_back({name, 128, {}});
  image.object.assign(object.data(), object.size());
  // Through the form that the disk cache holds.
  return llvm::cantFail(Executable::load(llvm::cantFail(Image::deserialize(image.serialize()))));
}

} // namespace

TEST(Executable, everyBlockRunsOnce) {
  auto executable = build(countBlocks, "count");
  const Executable::Entry *entry = executable->find("count");
  ASSERT_TRUE(entry);
  EXPECT_EQ(executable->find(""), entry);
  EXPECT_EQ(executable->find("other"), nullptr);
  for (int threads : {1, 2, 5}) {
    Scheduler scheduler(threads);
    for (int64_t blocks : {1, 2, 7, 1000, 100003}) {
      std::vector<int32_t> out(blocks);
      void *data = out.data();
      void *args[] = {&data};
      entry->nanosecondsPerBlock = 1e6; // never short: let the threads have it
      LaunchResult result = scheduler.launch(*entry, args, {blocks, 1, 1});
      EXPECT_FALSE(result.failure);
      EXPECT_EQ(out, std::vector<int32_t>(blocks, 1)) << threads << " threads, " << blocks << " blocks";
    }
  }
}

TEST(Executable, aProfileHasEveryBlockOnce) {
  auto executable = build(countBlocks, "count", hostMachine(), 1);
  for (int threads : {1, 3})
    for (int64_t blocks : {1, 5, 1000}) {
      Scheduler scheduler(threads);
      std::vector<int32_t> out(blocks);
      void *pointer = out.data();
      void *args[] = {&pointer};
      for (int launch = 1; launch < 4; ++launch) {
        LaunchProfile profile;
        scheduler.launch(*executable->find(""), args, {blocks, 1, 1}, &profile);
        EXPECT_EQ(out, std::vector<int32_t>(blocks, launch));
        std::vector<int> recorded(blocks);
        for (const BlockRun &run : profile.runs) {
          EXPECT_TRUE(profile.begin <= run.begin && run.begin <= run.end && run.end <= profile.end);
          EXPECT_TRUE(run.worker >= 0 && run.worker < threads);
          for (int64_t block = run.first; block < run.last; ++block)
            ++recorded[block];
        }
        EXPECT_EQ(recorded, std::vector<int>(blocks, 1));
      }
    }
}

TEST(Executable, recordsAreRareWhereBlocksAreShort) {
  EXPECT_EQ(blocksOfRun(100, -1), 1);    // nothing is known of their time
  EXPECT_EQ(blocksOfRun(100, 10000), 1); // a record costs less than a hundredth
  EXPECT_EQ(blocksOfRun(100, 1000), 16); // whole groups that a kernel joins
  EXPECT_EQ(blocksOfRun(100000, 100), 64);
  EXPECT_EQ(blocksOfRun(int64_t(1) << 30, 10000), int64_t(1) << 14); // memory is bounded
}

TEST(Executable, launchesFromManyThreadsDoNotMix) {
  auto executable = build(countBlocks, "count");
  Scheduler scheduler(2);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<int32_t> out(64);
        void *data = out.data();
        void *args[] = {&data};
        executable->find("count")->nanosecondsPerBlock = 1e6;
        scheduler.launch(*executable->find("count"), args, {4, 4, 4});
        wrong += out != std::vector<int32_t>(64, 1);
        if (repeat % 10 == 0)
          scheduler.setNumThreads(1 + repeat / 10);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Executable, aFailedAssertNamesTheBlockAndStopsTheRest) {
  auto executable = build(failFromFive, "fail");
  const Executable::Entry *entry = executable->find("fail");
  for (int threads : {1, 2}) {
    Scheduler scheduler(threads);
    entry->nanosecondsPerBlock = 1e6;
    LaunchResult result = scheduler.launch(*entry, nullptr, {100000, 1, 1});
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(result.failure->message, "too many");
    EXPECT_EQ(result.failure->file, "kernel.py");
    EXPECT_EQ(result.failure->line, 42);
    EXPECT_EQ(result.failure->block[0], 5);
    EXPECT_EQ(result.printed.substr(0, 54),
              "block 0\nblock 1\nblock 2\nblock 3\nblock 4\nblock 5\n" + result.printed.substr(48, 6));
    EXPECT_LT(result.printed.size(), 2000u);
    // The threads are fine afterwards.
    EXPECT_FALSE(scheduler.launch(*entry, nullptr, {5, 1, 1}).failure);
  }
}

TEST(Executable, everyMachineConvertsAlike) {
  for (unsigned optLevel : {0, 1, 3})
    for (const Machine &machine : knownMachines()) {
      const Machine &host = hostMachine();
      llvm::Error refused = checkOnHost(machine, machine.name);
      bool isHere = !refused && (!machine.hasF16Arith || host.hasF16Arith);
      llvm::consumeError(std::move(refused));
      if (!isHere)
        continue; // its instructions would end the launch
      auto executable = build(convert, "convert", machine, optLevel);
      Scheduler scheduler(1);
      struct Case {
        float value, half, bfloat;
      };
      for (Case c :
           {Case{3.1415927f, 3.140625f, 3.140625f}, Case{65520.0f, INFINITY, 65536.0f},
            Case{65519.0f, 65504.0f, 65536.0f}, Case{-1e-7f, -1.1920929e-07f, -1.00117177e-07f},
            Case{5.9604645e-08f, 5.9604645e-08f, 5.9604645e-08f}, Case{2.9e-8f, 0.0f, 2.8987415e-08f},
            Case{1e-40f, 0.0f, 9.18354962e-41f}, Case{-INFINITY, -INFINITY, -INFINITY}, Case{0.0f, 0.0f, 0.0f}}) {
        float data[4] = {c.value};
        void *pointer = data;
        void *args[] = {&pointer};
        scheduler.launch(*executable->find(""), args, {1, 1, 1});
        EXPECT_EQ(data[1], c.half) << machine.name << " of " << c.value;
        EXPECT_EQ(data[2], c.bfloat) << machine.name << " of " << c.value;
        if (std::isfinite(c.value))
          EXPECT_EQ(data[3], fmodf(c.value, 0.7f)) << machine.name;
      }
    }
}

TEST(Executable, aMissingSymbolIsAnError) {
  Image image;
  image.entries.push_back({"nothing", 0, {}});
  auto executable = Executable::load(image);
  EXPECT_FALSE(bool(executable));
  llvm::consumeError(executable.takeError());
}
