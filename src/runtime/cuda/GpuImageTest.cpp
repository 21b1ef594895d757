// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/GpuImage.h"
#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::cuda;
using llvm::toString;

namespace {

GpuImage sample() {
  TensorMapInfo map;
  map.pointer = 0;
  map.offset = LaunchNumber::of(64);
  map.element = TensorMapInfo::Element::BF16;
  map.shape = {LaunchNumber::ofParameter(2), {1, 1, 2, 3}};
  map.strides = {LaunchNumber::ofParameter(2, 2)};
  map.box = {64, 128};
  map.swizzle = TensorMapInfo::Swizzle::B128;
  map.l2Promotion = TensorMapInfo::L2Promotion::B256;
  map.fill = TensorMapInfo::Fill::Nan;

  GpuEntry entry;
  entry.name = "gemm";
  entry.parameters = {{EntryParameter::Kind::Pointer, 16, true},
                      {EntryParameter::Kind::Integer, 32, false},
                      {EntryParameter::Kind::Integer, 32, false}};
  entry.threads = 384;
  entry.cluster[0] = 2;
  entry.split = 2;
  entry.dynamicSharedBytes = 200'000;
  entry.blocksPerSm = 1;
  entry.tensorMaps = {map};
  entry.hidden = {{HiddenParameter::Kind::GridX}, {HiddenParameter::Kind::TensorMap, 0}};
  entry.fallback = "gemm_without_maps";
  GpuEntry fallback;
  fallback.name = "gemm_without_maps";
  fallback.parameters = entry.parameters;
  fallback.usesHostBuffer = true;

  GpuImage image;
  image.architecture = "sm_90a";
  image.entries = {entry, fallback};
  image.hostSites = {{HostSite::Kind::Print, "%d \xff\n", "", 0, {{TILEWRIGHT_I32, {2, 4}}, {TILEWRIGHT_F16, {}}}},
                     {HostSite::Kind::Assert, "no", "k.py", 7, {{TILEWRIGHT_I1, {8}}}}};
  image.remarks = "remark\n";
  image.code = std::string("\0cubin\0", 7);
  return image;
}

} // namespace

TEST(GpuImage, survivesTheDisk) {
  GpuImage image = sample();
  auto read = GpuImage::deserialize(image.serialize());
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(read->serialize(), image.serialize());
  EXPECT_EQ(read->architecture, "sm_90a");
  EXPECT_EQ(read->code, image.code);
  ASSERT_EQ(read->entries.size(), 2u);
  const GpuEntry &entry = read->entries[0];
  EXPECT_EQ(entry.threads, 384u);
  EXPECT_EQ(entry.cluster[0], 2u);
  EXPECT_EQ(entry.split, 2u);
  EXPECT_EQ(entry.dynamicSharedBytes, 200'000u);
  EXPECT_TRUE(entry.parameters[0].written);
  ASSERT_EQ(entry.tensorMaps.size(), 1u);
  EXPECT_EQ(entry.tensorMaps[0].shape[1].divisor, 2);
  EXPECT_EQ(entry.tensorMaps[0].shape[1].constant, 3);
  EXPECT_EQ(entry.tensorMaps[0].fill, TensorMapInfo::Fill::Nan);
  EXPECT_EQ(entry.hidden[1].kind, HiddenParameter::Kind::TensorMap);
  EXPECT_TRUE(read->entries[1].usesHostBuffer);
  EXPECT_EQ(read->hostSites[1].line, 7);
  EXPECT_EQ(read->hostSites[0].tiles[0].shape, (std::vector<int64_t>{2, 4}));
}

TEST(GpuImage, anyBrokenByteIsNoticed) {
  std::string bytes = sample().serialize();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string altered = bytes;
    altered[i] ^= 1;
    for (const std::string &text : {altered, bytes.substr(0, i)}) {
      auto read = GpuImage::deserialize(text);
      EXPECT_FALSE(bool(read)) << i;
      llvm::consumeError(read.takeError());
    }
  }
}

TEST(GpuImage, numbersThatNameNothingAreRefused) {
  auto isRefused = [](llvm::function_ref<void(GpuImage &)> change) {
    GpuImage image = sample();
    change(image);
    auto read = GpuImage::deserialize(image.serialize());
    bool refused = !read;
    llvm::consumeError(read.takeError());
    return refused;
  };
  EXPECT_FALSE(isRefused([](GpuImage &) {}));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.entries[0].tensorMaps[0].pointer = 1; }));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.entries[0].tensorMaps[0].shape[0].parameter = 3; }));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.entries[0].tensorMaps[0].strides.clear(); }));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.entries[0].tensorMaps[0].shape[0].divisor = 0; }));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.entries[0].hidden[1].index = 1; }));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.entries[0].fallback = "nobody"; }));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.entries[0].threads = 0; }));
  EXPECT_TRUE(isRefused([](GpuImage &image) { image.hostSites[0].tiles[0].shape[0] = -1; }));
}

TEST(GpuImage, aFallbackIsNoEntryOfItsOwn) {
  GpuImage image = sample();
  ASSERT_TRUE(image.find(""));
  EXPECT_EQ(image.find("")->name, "gemm");
  EXPECT_EQ(image.find("gemm_without_maps")->name, "gemm_without_maps");
  EXPECT_FALSE(image.find("nobody"));
}

TEST(HostBuffer, recordsHaveTheirTilesInOrder) {
  GpuImage image = sample();
  const HostSite &site = image.hostSites[0];
  EXPECT_EQ(tileOffset(site, 0), 32u);
  EXPECT_EQ(tileOffset(site, 1), 64u); // after 8 numbers of 4 bytes
  EXPECT_EQ(recordBytes(site), 96u);   // 2 bytes more, and up to a multiple of 32
}
