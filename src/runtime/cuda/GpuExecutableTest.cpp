// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/GpuExecutable.h"
#include "runtime/cuda/FakeDriverTest.h"
#include "runtime/cuda/Staging.h"
#include <cstring>

using namespace tilewright;
using namespace tilewright::cuda;
using llvm::toString;

namespace {

constexpr auto pointer = EntryParameter::Kind::Pointer, integer = EntryParameter::Kind::Integer;

// A module of one kernel `k(pointer, i32)`.
GpuImage imageOf(llvm::function_ref<void(GpuImage &)> change = [](GpuImage &) {}) {
  GpuImage image;
  image.architecture = "sm_90a";
  GpuEntry &entry = image.entries.emplace_back();
  entry.name = "k";
  entry.parameters = {{pointer, 32, true}, {integer, 32, false}};
  image.code = "kernel k 8 4\nkernel slow 8 4\nglobal __tilewright_host_buffer\n";
  change(image);
  return image;
}

// Kernels of the tests write through this.
DeviceAddress hostBuffer = 0;

class GpuRuntime : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("TILEWRIGHT_CUDA_DRIVER", fakeDriverPath().c_str(), 1); }
  void SetUp() override { fakecuda_reset(); }
  void TearDown() override { fakecuda_reset(); }

  Device &device() {
    auto found = Device::get(0);
    if (!found)
      ADD_FAILURE() << toString(found.takeError());
    return *found;
  }

  GpuExecutable *load(GpuImage image) {
    auto loaded = GpuExecutable::load(std::move(image), device());
    if (!loaded)
      ADD_FAILURE() << toString(loaded.takeError());
    forgetLog();
    return &*loaded;
  }
  void forgetLog() { seen = strlen(fakecuda_log()); }
  std::string log() { return std::string(fakecuda_log()).substr(seen); }

  // Launches `k` and returns what was logged, or the error.
  std::string launch(GpuExecutable &executable, Grid grid = {}, LaunchOptions options = {}, uint64_t address = 4096,
                     int32_t number = 7, LaunchResult *result = nullptr) {
    forgetLog();
    void *parameters[] = {&address, &number};
    auto launched = executable.launch(*executable.find("k"), parameters, grid, options);
    if (!launched)
      return toString(launched.takeError());
    if (result)
      *result = std::move(*launched);
    return log();
  }

  size_t seen = 0;
};

} // namespace

TEST_F(GpuRuntime, theDeviceIsDescribed) {
  EXPECT_EQ(device().text(), "GPU 0 (a GPU that is none)");
  EXPECT_EQ(device().architecture->name, "sm_90a");
  EXPECT_EQ(device().multiprocessors, 4u);
  auto other = Device::get(1);
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(toString(other.takeError()), "there is no GPU 1, the driver shows 1 GPU");
}

TEST_F(GpuRuntime, aLaunchHasItsParametersGridAndStream) {
  auto executable = load(imageOf());
  LaunchOptions options;
  options.stream = reinterpret_cast<StreamHandle>(0x70);
  EXPECT_EQ(launch(*executable, {5, 6, 7}, options),
            "launch k(4096, 7) grid 5 6 7 block 128 1 1 shared 0 stream 0x70\n");
}

TEST_F(GpuRuntime, clustersRoundTheGridUp) {
  auto executable = load(imageOf([](GpuImage &image) {
    image.entries[0].cluster[0] = 2;
    image.entries[0].cluster[1] = 4;
  }));
  EXPECT_EQ(launch(*executable, {3, 3, 1}),
            "launch k(4096, 7) grid 4 4 1 block 128 1 1 shared 0 stream (nil) cluster 2 4 1\n");
}

TEST_F(GpuRuntime, aPersistentKernelGetsTheGridAsParameters) {
  auto executable = load(imageOf([](GpuImage &image) {
    image.entries[0].blocksPerSm = 2;
    image.entries[0].hidden = {{HiddenParameter::Kind::GridX}, {HiddenParameter::Kind::GridY}};
    image.code = "kernel k 8 4 4 4\n";
  }));
  EXPECT_EQ(launch(*executable, {30, 20, 1}),
            "launch k(4096, 7, 30, 20) grid 8 1 1 block 128 1 1 shared 0 stream (nil)\n");
  EXPECT_EQ(launch(*executable, {3, 1, 1}), "launch k(4096, 7, 3, 1) grid 3 1 1 block 128 1 1 shared 0 stream (nil)\n");
}

TEST_F(GpuRuntime, severalThreadBlocksOfAClusterTakeATileBlock) {
  auto executable = load(imageOf([](GpuImage &image) {
    image.entries[0].blocksPerSm = 2;
    image.entries[0].cluster[0] = image.entries[0].split = 2;
  }));
  EXPECT_EQ(launch(*executable, {3, 1, 1}),
            "launch k(4096, 7) grid 6 1 1 block 128 1 1 shared 0 stream (nil) cluster 2 1 1\n");
  EXPECT_EQ(launch(*executable, {30, 1, 1}),
            "launch k(4096, 7) grid 8 1 1 block 128 1 1 shared 0 stream (nil) cluster 2 1 1\n");
}

TEST_F(GpuRuntime, persistentClustersAreAsManyAsTheDeviceRunsAtATime) {
  auto executable = load(imageOf([](GpuImage &image) {
    image.entries[0].blocksPerSm = 2;
    image.entries[0].cluster[0] = 4;
  }));
  EXPECT_EQ(launch(*executable, {30, 1, 1}),
            "launch k(4096, 7) grid 4 1 1 block 128 1 1 shared 0 stream (nil) cluster 4 1 1\n");
}

TEST_F(GpuRuntime, aDependentLaunchIsOneToTheDriver) {
  auto executable = load(imageOf());
  LaunchOptions options;
  options.dependent = true;
  EXPECT_EQ(launch(*executable, {}, options),
            "launch k(4096, 7) grid 1 1 1 block 128 1 1 shared 0 stream (nil) dependent 1\n");
}

TEST_F(GpuRuntime, muchSharedMemoryIsAskedFor) {
  auto loaded =
      GpuExecutable::load(imageOf([](GpuImage &image) { image.entries[0].dynamicSharedBytes = 200'000; }), device());
  ASSERT_TRUE(bool(loaded)) << toString(loaded.takeError());
  EXPECT_EQ(log(), "load library\nset attribute 8 of k to 200000\n");
  auto refused =
      GpuExecutable::load(imageOf([](GpuImage &image) { image.entries[0].dynamicSharedBytes = 240'000; }), device());
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(toString(refused.takeError()), "kernel 'k' needs 240000 bytes of shared memory, GPU 0 (a GPU that is none) "
                                           "has 232448 for a block; use smaller tiles");
}

TEST_F(GpuRuntime, aLaunchOfACapturedStreamNeitherAllocatesNorWaits) {
  auto executable = load(imageOf([](GpuImage &image) {
    image.hostSites = {{HostSite::Kind::Print, "%d\n", "", 0, {{TILEWRIGHT_I32, {}}}}};
    image.entries[0].usesHostBuffer = true;
  }));
  EXPECT_EQ(launch(*executable), "launch k(4096, 7) grid 1 1 1 block 128 1 1 shared 0 stream (nil)\n"
                                 "synchronize stream (nil)\n");
  fakecuda_capture(true);
  EXPECT_EQ(launch(*executable), "launch k(4096, 7) grid 1 1 1 block 128 1 1 shared 0 stream (nil)\n");
  // Loading during a capture is possible, too.
  auto other = GpuExecutable::load(imageOf(), device());
  EXPECT_TRUE(bool(other)) << toString(other.takeError());
}

TEST_F(GpuRuntime, tensorMapsAreEncodedOncePerTensor) {
  auto withMap = [](GpuImage &image) {
    TensorMapInfo map;
    map.element = TensorMapInfo::Element::F16;
    map.shape = {LaunchNumber::ofParameter(1), {1, 1, 2, 0}};
    map.strides = {LaunchNumber::ofParameter(1, 2)};
    map.box = {64, 8};
    map.swizzle = TensorMapInfo::Swizzle::B128;
    image.entries[0].tensorMaps = {map};
    image.entries[0].hidden = {{HiddenParameter::Kind::TensorMap, 0}};
    image.code = "kernel k 8 4 8\nkernel slow 8 4\n";
  };
  auto executable = load(imageOf(withMap));
  std::string first = launch(*executable, {}, {}, 4096, 24);
  EXPECT_EQ(first, "encode element 6 24/64@0x12/8@48 interleave 0 swizzle 3 l2 0 fill 0\n"
                   "launch k(4096, 24, 4096) grid 1 1 1 block 128 1 1 shared 0 stream (nil)\n");
  EXPECT_EQ(launch(*executable, {}, {}, 4096, 24).find("encode"), std::string::npos);
  EXPECT_EQ(launch(*executable, {}, {}, 8192, 24).find("encode"), 0u);
  EXPECT_EQ(launch(*executable, {}, {}, 4096, 23),
            "kernel 'k' accesses an array by the tensor memory accelerator, but a stride in bytes is 46, "
            "expected a multiple of 16; copy the array, or compile the kernel for arrays without that alignment");
  EXPECT_EQ(
      launch(*executable, {}, {}, 4096, 0),
      "kernel 'k' accesses an array by the tensor memory accelerator, but an extent is 0, expected 1 to 2**31 - 2**16; "
      "compile the kernel with allow_tma=False in its loads and stores of the array");

  auto withFallback = load(imageOf([&](GpuImage &image) {
    withMap(image);
    image.entries.push_back(image.entries[0]);
    image.entries[1].name = "slow";
    image.entries[1].tensorMaps.clear();
    image.entries[1].hidden.clear();
    image.entries[0].fallback = "slow";
  }));
  EXPECT_EQ(launch(*withFallback, {}, {}, 4096, 23),
            "launch slow(4096, 23) grid 1 1 1 block 128 1 1 shared 0 stream (nil)\n");
}

TEST_F(GpuRuntime, aFailedLaunchSaysWhatWasAskedFor) {
  auto executable = load(imageOf());
  fakecuda_fail("cuLaunchKernelEx", 701);
  EXPECT_EQ(launch(*executable),
            "kernel 'k' cannot be launched on GPU 0 (a GPU that is none) with a grid of 1x1x1, 128 threads and 0 bytes "
            "of shared memory a block, clusters of 1: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
  fakecuda_fail("cuLaunchKernelEx", 0);
  EXPECT_EQ(launch(*executable).find("launch k"), 0u);
}

TEST_F(GpuRuntime, anIllegalAccessNamesTheKernel) {
  auto executable = load(imageOf());
  LaunchOptions options;
  options.wait = true;
  fakecuda_on_launch([](const char *, const uint32_t *, void **) { fakecuda_fault(700); });
  const char *tail =
      "TILEWRIGHT_CHECK=1 finds the line. This process cannot use the GPU any more, kernels on the CPU go "
      "on";
  EXPECT_EQ(launch(*executable, {}, options),
            std::string("kernel 'k' accessed memory that is not there on GPU 0 (a GPU that is none) "
                        "(CUDA_ERROR_ILLEGAL_ADDRESS); ") +
                tail);
  // Others see it later, and cannot know who it was.
  std::string later = launch(*executable);
  EXPECT_NE(later.find("'k'"), std::string::npos) << later;
  EXPECT_NE(later.find("of another library, accessed memory that is not there"), std::string::npos) << later;
  EXPECT_NE(later.find("CUDA_LAUNCH_BLOCKING=1 tells which"), std::string::npos) << later;
}

TEST_F(GpuRuntime, codeOfAnotherArchitectureIsRefused) {
  auto loaded = GpuExecutable::load(imageOf([](GpuImage &image) { image.architecture = "sm_80"; }), device());
  ASSERT_FALSE(bool(loaded));
  EXPECT_EQ(toString(loaded.takeError()),
            "the code is for sm_80, GPU 0 (a GPU that is none) is sm_90a and runs no other; compile for that");
}

TEST_F(GpuRuntime, ptxIsAssembledByTheDriver) {
  auto ptx = [](const char *more) {
    return imageOf([&](GpuImage &image) { image.code = std::string("//\n.version 8.6\n") + more + image.code; });
  };
  GpuExecutable *executable = load(ptx(""));
  EXPECT_NE(std::string(fakecuda_log()).find("assemble\n"), std::string::npos);
  EXPECT_EQ(launch(*executable), "launch k(4096, 7) grid 1 1 1 block 128 1 1 shared 0 stream (nil)\n");

  auto refusal = [&](const char *more) {
    auto loaded = GpuExecutable::load(ptx(more), device());
    return loaded ? "" : toString(loaded.takeError());
  };
  const std::string what = "assembling PTX for sm_90a on GPU 0 (a GPU that is none): ";
  EXPECT_EQ(refusal("error ptxas application ptx input, line 2; error   : Unknown symbol '%q2'\n"),
            what + "the CUDA driver refused the PTX for sm_90a at line 2, '.version 8.6': Unknown symbol '%q2'");
  EXPECT_EQ(refusal("error ptxas application ptx input, line 1; fatal   : Unsupported .version 8.6; current version is "
                    "'8.0'\n"),
            what +
                "the CUDA driver is too old: it reads PTX up to 8.0, the code for sm_90a is PTX 8.6, which CUDA 12.7 "
                "and later read; pip install -U nvidia-nvjitlink has the newest, TILEWRIGHT_ASSEMBLER names another");
  fakecuda_fail("cuModuleLoadDataEx", static_cast<int>(Status::JitCompilerNotFound));
  EXPECT_EQ(refusal(""), what + "the CUDA driver has no assembler (CUDA error 221); pip install nvidia-nvjitlink "
                                "has an assembler");
}

TEST_F(GpuRuntime, whatKernelsSayReachesTheHost) {
  std::vector<HostSite> sites = {{HostSite::Kind::Print, "x = %d\n", "", 0, {{TILEWRIGHT_I32, {2}}}},
                                 {HostSite::Kind::Assert, "no", "k.py", 7, {{TILEWRIGHT_I1, {2, 2}}}}};
  auto executable = load(imageOf([&](GpuImage &image) {
    image.hostSites = sites;
    image.entries[0].usesHostBuffer = true;
  }));
  // The kernel of this test gets the buffer's address where a real one reads its global.
  ASSERT_EQ(device().hostRecords().empty(), false);
  hostBuffer = device().hostRecords().back()->address();
  fakecuda_on_launch([](const char *, const uint32_t *grid, void **) {
    auto &header = *reinterpret_cast<HostBufferHeader *>(hostBuffer);
    char *records = reinterpret_cast<char *>(hostBuffer + sizeof(HostBufferHeader));
    for (uint32_t block = grid[0]; block-- > 0;) { // in another order
      auto *record = reinterpret_cast<HostRecordHeader *>(records + header.reserved);
      header.reserved += 64;
      record->site = 0;
      record->block[0] = block;
      int32_t values[2] = {int32_t(block), -1};
      std::memcpy(record + 1, values, sizeof(values));
      record->complete = 1;
    }
    for (uint32_t block : {2, 1}) {
      auto *record = reinterpret_cast<HostRecordHeader *>(records + header.reserved);
      header.reserved += 64;
      record->site = 1;
      record->block[0] = block;
      std::memcpy(record + 1, "\1\1\0\1", 4);
      record->complete = 1;
    }
  });
  LaunchResult result;
  launch(*executable, {3, 1, 1}, {}, 4096, 7, &result);
  EXPECT_EQ(result.printed, "x = [0, -1]\nx = [1, -1]\nx = [2, -1]\n");
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->message, "no");
  EXPECT_EQ(result.failure->line, 7);
  EXPECT_EQ(result.failure->block[0], 1);
  EXPECT_EQ(result.failure->position, (std::vector<int64_t>{1, 0}));
  // Once only.
  fakecuda_on_launch(nullptr);
  LaunchResult next;
  launch(*executable, {3, 1, 1}, {}, 4096, 7, &next);
  EXPECT_EQ(next.printed, "");
  EXPECT_FALSE(next.failure);
}

TEST_F(GpuRuntime, aFullBufferIsEmptiedAndWhatWasLostIsSaid) {
  auto executable = load(imageOf([&](GpuImage &image) {
    image.hostSites = {{HostSite::Kind::Print, "%d\n", "", 0, {{TILEWRIGHT_I32, {}}}}};
    image.entries[0].usesHostBuffer = true;
  }));
  hostBuffer = device().hostRecords().back()->address();
  fakecuda_on_launch([](const char *, const uint32_t *, void **) {
    auto &header = *reinterpret_cast<HostBufferHeader *>(hostBuffer);
    header.reserved = header.capacity + 128;
  });
  LaunchResult result;
  launch(*executable, {}, {}, 4096, 7, &result);
  EXPECT_EQ(result.printed, "tilewright: 128 bytes of the kernels' output did not fit in the buffer and are lost\n");
  EXPECT_EQ(reinterpret_cast<HostBufferHeader *>(hostBuffer)->reserved, 0u);
}

TEST_F(GpuRuntime, anAssertIsReportedWhenThereIsTime) {
  auto executable = load(imageOf([&](GpuImage &image) {
    image.hostSites = {{HostSite::Kind::Assert, "no", "k.py", 7, {{TILEWRIGHT_I1, {}}}}};
    image.entries[0].usesHostBuffer = true;
  }));
  hostBuffer = device().hostRecords().back()->address();
  EXPECT_EQ(launch(*executable).find("synchronize"), std::string::npos); // no wait
  auto &header = *reinterpret_cast<HostBufferHeader *>(hostBuffer);
  auto fail = [&] {
    auto *record = reinterpret_cast<HostRecordHeader *>(hostBuffer + sizeof(header) + header.reserved);
    header.reserved += 64;
    record->complete = 1;
  };
  fail();
  LaunchResult next; // the launch after it tells
  launch(*executable, {}, {}, 4096, 7, &next);
  ASSERT_TRUE(next.failure);
  EXPECT_EQ(next.failure->file, "k.py");

  fail();
  auto synchronized = synchronize();
  ASSERT_TRUE(bool(synchronized)) << toString(synchronized.takeError());
  EXPECT_TRUE(synchronized->failure);

  // Also where the kernel ended by a trap, which leaves nothing to launch on.
  fail();
  fakecuda_fault(719);
  synchronized = synchronize();
  ASSERT_TRUE(bool(synchronized)) << toString(synchronized.takeError());
  EXPECT_TRUE(synchronized->failure);
  synchronized = synchronize();
  EXPECT_FALSE(bool(synchronized));
  llvm::consumeError(synchronized.takeError());
}

TEST_F(GpuRuntime, tablesAreCopiedOnce) {
  int before = fakecuda_allocations();
  auto first = device().tableFor({1, 2, 3}), other = device().tableFor({1, 2, 4}), again = device().tableFor({1, 2, 3});
  ASSERT_TRUE(first && other && again);
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *other);
  EXPECT_EQ(reinterpret_cast<int64_t *>(*other)[2], 4);
  EXPECT_EQ(fakecuda_allocations(), before + 2);
}

TEST_F(GpuRuntime, stagingKeepsOverlapsAndAlignment) {
  alignas(256) int numbers[64];
  for (int i = 0; i < 64; ++i)
    numbers[i] = i;
  int before = fakecuda_allocations();
  {
    Staging staging(device(), Staging::To::Device);
    auto address = [&](int i) { return reinterpret_cast<uint64_t>(&numbers[i]); };
    staging.add(address(4), 40, true);
    staging.add(address(8), 40, false); // overlaps the first
    staging.add(address(32), 16, false);
    staging.add(address(40), 0, true);
    llvm::Error error = staging.begin();
    ASSERT_FALSE(bool(error));
    EXPECT_EQ(fakecuda_allocations(), before + 3);
    EXPECT_EQ(staging.translate(address(8)) - staging.translate(address(4)), 16u);
    EXPECT_EQ(staging.translate(address(4)) % 256, address(4) % 256);
    auto *copy = reinterpret_cast<int *>(staging.translate(address(4)));
    EXPECT_EQ(copy[1], 5);
    copy[0] = 100;
    *reinterpret_cast<int *>(staging.translate(address(32))) = 200; // is only read
    ASSERT_FALSE(bool(error = staging.end()));
  }
  EXPECT_EQ(numbers[4], 100);
  EXPECT_EQ(numbers[32], 32);
  EXPECT_EQ(fakecuda_allocations(), before);
}

TEST_F(GpuRuntime, noMemoryIsAnErrorOfItsOwn) {
  fakecuda_fail("cuMemAlloc_v2", 2);
  Staging staging(device(), Staging::To::Device);
  int number = 0;
  staging.add(reinterpret_cast<uint64_t>(&number), 4, false);
  llvm::Error error = staging.begin();
  ASSERT_TRUE(bool(error));
  llvm::handleAllErrors(std::move(error), [](const DriverError &problem) {
    EXPECT_EQ(problem.getKind(), DriverError::Kind::OutOfMemory);
  });
}
