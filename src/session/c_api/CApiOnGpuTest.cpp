// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface on the tests' driver.
#include "runtime/cuda/FakeDriverTest.h"
#include "tilewright.h"

#include <cstdlib>

namespace {

constexpr char doubled[] = R"(
cuda_tile.module @kernels {
  entry @double_on_gpu(%p: tile<ptr<f32>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %q = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    %w = addf %v, %v : tile<f32>
    %u = store_ptr_tko weak %q, %w token = %t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
}
)";

class CApiOnGpu : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("TILEWRIGHT_CUDA_DRIVER", fakeDriverPath().c_str(), 1); }
  void SetUp() override {
    fakecuda_reset();
    expect(tilewright_session_open("nvidia", &session), TILEWRIGHT_OK);
    expect(tilewright_session_set(session, "assembler", "driver"), TILEWRIGHT_OK);
  }
  void TearDown() override {
    tilewright_entry_free(entry);
    tilewright_session_close(session);
    fakecuda_reset();
  }

  void expect(tilewright_error *error, tilewright_status status, const std::string &part = "") {
    EXPECT_EQ(tilewright_error_status(error), status) << tilewright_error_message(error);
    EXPECT_NE(std::string(tilewright_error_message(error)).find(part), std::string::npos)
        << tilewright_error_message(error);
    tilewright_error_free(error);
  }
  void load(tilewright_status status = TILEWRIGHT_OK, const std::string &part = "") {
    expect(tilewright_entry_load(session, doubled, sizeof(doubled) - 1, nullptr, &entry), status, part);
  }

  tilewright_session *session = nullptr;
  tilewright_entry *entry = nullptr;
};

TEST_F(CApiOnGpu, CopiesAndLaunches) {
  load();
  float numbers[3] = {1, 2, 3}, results[3] = {};
  void *memory = nullptr;
  expect(tilewright_memory_allocate(session, sizeof(numbers), &memory), TILEWRIGHT_OK);
  expect(tilewright_memory_write(session, memory, numbers, sizeof(numbers)), TILEWRIGHT_OK);
  fakecuda_on_launch([](const char *name, const uint32_t *grid, void **parameters) {
    EXPECT_STREQ(name, "double_on_gpu");
    for (uint32_t i = 0; i < grid[0]; ++i)
      (*static_cast<float **>(parameters[0]))[i] *= 2;
  });
  int64_t grid[3] = {3, 1, 1};
  void *values[] = {&memory};
  int stream = 0;
  expect(tilewright_entry_launch(entry, grid, values, 1, &stream), TILEWRIGHT_OK);
  expect(tilewright_memory_read(session, results, memory, sizeof(results)), TILEWRIGHT_OK);
  EXPECT_EQ(results[0] + 10 * results[1] + 100 * results[2], 642);
  int before = fakecuda_allocations();
  tilewright_memory_free(session, memory);
  EXPECT_EQ(fakecuda_allocations(), before - 1);
}

TEST_F(CApiOnGpu, NamesWhatTheDriverRefuses) {
  load();
  void *memory = nullptr;
  fakecuda_fail("cuMemAlloc_v2", 2);
  expect(tilewright_memory_allocate(session, 64, &memory), TILEWRIGHT_OUT_OF_MEMORY, "allocating 64 bytes on GPU 0");
  EXPECT_EQ(memory, nullptr);
  fakecuda_reset();
  void *address = nullptr, *values[] = {&address};
  int64_t grid[3] = {1, 1, 1};
  fakecuda_fail("cuLaunchKernelEx", 701);
  expect(tilewright_entry_launch(entry, grid, values, 1, nullptr), TILEWRIGHT_REFUSED, "double_on_gpu");
  fakecuda_reset();
  fakecuda_fault(700);
  expect(tilewright_entry_launch(entry, grid, values, 1, nullptr), TILEWRIGHT_FAULT);
}

TEST_F(CApiOnGpu, NamesAGpuThatIsNotThere) {
  expect(tilewright_session_set(session, "device", "3"), TILEWRIGHT_OK);
  load(TILEWRIGHT_NO_DEVICE, "3");
  EXPECT_EQ(entry, nullptr);
  void *memory = nullptr;
  expect(tilewright_memory_allocate(session, 64, &memory), TILEWRIGHT_NO_DEVICE, "3");

  tilewright_session *other = nullptr;
  expect(tilewright_session_open("nvidia:sm_80", &other), TILEWRIGHT_OK);
  expect(tilewright_entry_load(other, doubled, sizeof(doubled) - 1, nullptr, &entry), TILEWRIGHT_REFUSED, "sm_80");
  tilewright_session_close(other);
}

} // namespace
