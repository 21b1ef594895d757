// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface on the tests' driver.
#include "runtime/cuda/FakeDriverTest.h"
#include "session/c_api/CApiFixture.h"

#include <cstdlib>

using namespace tilewright::c_api;

namespace {

class CApiOnGpu : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("TILEWRIGHT_CUDA_DRIVER", fakeDriverPath().c_str(), 1); }
  void SetUp() override {
    fakecuda_reset();
    expectError(tilewright_session_set(session, "assembler", "driver"), TILEWRIGHT_OK);
  }
  void TearDown() override { fakecuda_reset(); }

  Owned<tilewright_session> owned = open("nvidia");
  tilewright_session *session = owned.get();
};

TEST_F(CApiOnGpu, CopiesAndLaunches) {
  auto entry = load(session, "double");
  float numbers[3] = {1, 2, 3}, results[3] = {};
  void *memory = nullptr;
  expectError(tilewright_memory_allocate(session, sizeof(numbers), &memory), TILEWRIGHT_OK);
  expectError(tilewright_memory_write(session, memory, numbers, sizeof(numbers)), TILEWRIGHT_OK);
  fakecuda_on_launch([](const char *name, const uint32_t *grid, void **parameters) {
    EXPECT_STREQ(name, "double");
    for (uint32_t i = 0; i < grid[0]; ++i)
      (*static_cast<float **>(parameters[0]))[i] *= 2;
  });
  int64_t grid[3] = {3, 1, 1};
  void *values[] = {&memory};
  int stream = 0;
  expectError(tilewright_entry_launch(entry.get(), grid, values, 1, &stream), TILEWRIGHT_OK);
  expectError(tilewright_memory_read(session, results, memory, sizeof(results)), TILEWRIGHT_OK);
  EXPECT_EQ(results[0] + 10 * results[1] + 100 * results[2], 642);
  int before = fakecuda_allocations();
  tilewright_memory_free(session, memory);
  EXPECT_EQ(fakecuda_allocations(), before - 1);
}

TEST_F(CApiOnGpu, NamesWhatTheDriverRefuses) {
  auto entry = load(session, "double");
  void *memory = nullptr;
  fakecuda_fail("cuMemAlloc_v2", 2);
  expectError(tilewright_memory_allocate(session, 64, &memory), TILEWRIGHT_OUT_OF_MEMORY,
              "allocating 64 bytes on GPU 0");
  EXPECT_EQ(memory, nullptr);
  fakecuda_reset();
  void *address = nullptr, *values[] = {&address};
  int64_t grid[3] = {1, 1, 1};
  fakecuda_fail("cuLaunchKernelEx", 701);
  expectError(tilewright_entry_launch(entry.get(), grid, values, 1, nullptr), TILEWRIGHT_REFUSED, "double");
  fakecuda_reset();
  fakecuda_fault(700);
  expectError(tilewright_entry_launch(entry.get(), grid, values, 1, nullptr), TILEWRIGHT_FAULT);
}

TEST_F(CApiOnGpu, NamesAGpuThatIsNotThere) {
  expectError(tilewright_session_set(session, "device", "3"), TILEWRIGHT_OK);
  tilewright_entry *entry = nullptr;
  expectError(load(session, "double", &entry), TILEWRIGHT_NO_DEVICE, "3");
  EXPECT_EQ(entry, nullptr);
  void *memory = nullptr;
  expectError(tilewright_memory_allocate(session, 64, &memory), TILEWRIGHT_NO_DEVICE, "3");

  expectError(load(open("nvidia:sm_80").get(), "double", &entry), TILEWRIGHT_REFUSED, "sm_80");
}

} // namespace
