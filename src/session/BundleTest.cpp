// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/Bundle.h"
#include "session/Settings.h"
#include "session/c_api/CApiFixture.h"

using namespace tilewright;
using namespace tilewright::session;

namespace {

std::string makeBundle(std::initializer_list<const char *> targets) {
  auto options = llvm::cantFail(llvm::cantFail(Settings::fromEnvironment()).resolve());
  std::vector<BundledImage> images;
  for (const char *target : targets) {
    PipelineReport report;
    images.push_back(llvm::cantFail(compileImage(target, c_api::doubled, "doubled", options, report)));
  }
  return serializeBundle(images);
}

TEST(Bundle, KeepsItsImages) {
  std::string bytes = serializeBundle({{"cpu", "key", "first"}, {"nvidia:sm_90", "", "second"}});
  auto images = llvm::cantFail(deserializeBundle(bytes));
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].machine, "key");
  EXPECT_EQ(images[1].target + images[1].bytes, "nvidia:sm_90second");
  for (size_t size = 0; size < bytes.size(); ++size) {
    auto part = deserializeBundle(llvm::StringRef(bytes).take_front(size));
    ASSERT_FALSE(part) << size;
    llvm::consumeError(part.takeError());
  }
}

TEST(Bundle, LaunchesTheBestImage) {
  std::string bundle = makeBundle({"cpu:x86-64-v2", "cpu", "cpu:aarch64"});
  tilewright_embedded_kernel kernel = {"double", bundle.data(), bundle.size(), nullptr};
  float number = 21, *memory = &number;
  int64_t grid[3] = {1, 1, 1};
  void *values[] = {&memory};
  c_api::expectError(tilewright_embedded_kernel_launch(&kernel, grid, values, 1, nullptr), TILEWRIGHT_OK);
  EXPECT_EQ(number, 42);
  EXPECT_NE(kernel.loaded, nullptr);
  c_api::expectError(tilewright_embedded_kernel_launch(&kernel, grid, values, 2, nullptr), TILEWRIGHT_BAD_ARGUMENT,
                     "has 1 parameters, got 2 values");
}

TEST(Bundle, NamesItsTargetsAndEntries) {
  std::string other = makeBundle({"cpu:aarch64"}), bundle = makeBundle({"cpu"});
  int64_t grid[3] = {1, 1, 1};
  tilewright_embedded_kernel missing = {"double", other.data(), other.size(), nullptr};
  c_api::expectError(tilewright_embedded_kernel_launch(&missing, grid, nullptr, 0, nullptr), TILEWRIGHT_BAD_ARGUMENT,
                     "kernel 'double' has no code for the CPU of this machine, but for cpu:aarch64");
  tilewright_embedded_kernel unknown = {"dubble", bundle.data(), bundle.size(), nullptr};
  c_api::expectError(tilewright_embedded_kernel_launch(&unknown, grid, nullptr, 0, nullptr), TILEWRIGHT_BAD_ARGUMENT,
                     "has no entry 'dubble'");
}

} // namespace
