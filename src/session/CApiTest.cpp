// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tilewright.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <memory>

namespace {

constexpr char doubled[] = R"(
cuda_tile.module @kernels {
  entry @double(%p: tile<ptr<f32>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %q = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    %w = addf %v, %v : tile<f32>
    %u = store_ptr_tko weak %q, %w token = %t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @refuse(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %is = cmpi equal %n, %zero, signed : tile<i32> -> tile<i1>
    assert %is, "it is not 0" : tile<i1>
    return
  }
}
)";

struct Deleter {
  void operator()(tilewright_error *error) const { tilewright_error_free(error); }
  void operator()(tilewright_session *session) const { tilewright_session_close(session); }
  void operator()(tilewright_entry *entry) const { tilewright_entry_free(entry); }
};
template <typename T> using Owned = std::unique_ptr<T, Deleter>;

Owned<tilewright_session> open(const char *target) {
  tilewright_session *session = nullptr;
  Owned<tilewright_error> error(tilewright_session_open(target, &session));
  EXPECT_EQ(error, nullptr) << tilewright_error_message(error.get());
  return Owned<tilewright_session>(session);
}

Owned<tilewright_entry> load(tilewright_session *session, const char *name) {
  tilewright_entry *entry = nullptr;
  Owned<tilewright_error> error(tilewright_entry_load(session, doubled, sizeof(doubled) - 1, name, &entry));
  EXPECT_EQ(error, nullptr) << tilewright_error_message(error.get());
  return Owned<tilewright_entry>(entry);
}

void expectError(tilewright_error *given, tilewright_status status, const std::string &part) {
  Owned<tilewright_error> error(given);
  EXPECT_EQ(tilewright_error_status(error.get()), status);
  EXPECT_NE(std::string(tilewright_error_message(error.get())).find(part), std::string::npos)
      << tilewright_error_message(error.get());
}

class Targets : public testing::TestWithParam<const char *> {};

TEST_P(Targets, LaunchesWhatTheyLoad) {
  auto session = open(GetParam());
  auto entry = load(session.get(), "double");
  ASSERT_EQ(tilewright_entry_num_parameters(entry.get()), 1u);
  tilewright_parameter parameter;
  EXPECT_EQ(tilewright_entry_parameter(entry.get(), 0, &parameter), nullptr);
  EXPECT_EQ(parameter.kind, TILEWRIGHT_POINTER);
  EXPECT_EQ(parameter.bits, 32u);
  EXPECT_TRUE(parameter.written);

  float numbers[3] = {1, 2, 3}, results[3];
  void *memory = nullptr;
  ASSERT_EQ(tilewright_memory_allocate(session.get(), sizeof(numbers), &memory), nullptr);
  EXPECT_EQ(uintptr_t(memory) % 256, 0u);
  EXPECT_EQ(tilewright_memory_write(session.get(), memory, numbers, sizeof(numbers)), nullptr);
  int64_t grid[3] = {3, 1, 1};
  void *values[] = {&memory};
  expectError(tilewright_entry_launch(entry.get(), grid, values, 1, nullptr), TILEWRIGHT_OK, "");
  EXPECT_EQ(tilewright_memory_read(session.get(), results, memory, sizeof(results)), nullptr);
  EXPECT_EQ(results[0] + 10 * results[1] + 100 * results[2], 642);
  tilewright_memory_free(session.get(), memory);
}

TEST_P(Targets, SayWhichAssertFailed) {
  auto session = open(GetParam());
  auto entry = load(session.get(), "refuse");
  int64_t grid[3] = {2, 1, 1};
  int32_t n = 7;
  void *values[] = {&n};
  expectError(tilewright_entry_launch(entry.get(), grid, values, 1, nullptr), TILEWRIGHT_ASSERT_FAILED,
              "refuse: assert failed, tile block: [0, 0, 0], position: []: it is not 0");
}

INSTANTIATE_TEST_SUITE_P(CApi, Targets, testing::Values("cpu", "interpreter", "tileas:sm_90"));

TEST(CApi, NamesWhatIsNotThere) {
  tilewright_session *none = nullptr;
  expectError(tilewright_session_open("cpu:z80", &none), TILEWRIGHT_BAD_ARGUMENT, "z80");
  expectError(tilewright_session_open("tileas:sm_7", &none), TILEWRIGHT_BAD_ARGUMENT, "sm_7");
  expectError(tilewright_session_open(nullptr, &none), TILEWRIGHT_BAD_ARGUMENT, "null");
  EXPECT_EQ(none, nullptr);

  auto session = open("cpu");
  expectError(tilewright_session_set(session.get(), "speed", "9"), TILEWRIGHT_BAD_ARGUMENT, "opt-level");
  expectError(tilewright_session_set(session.get(), "opt-level", "4"), TILEWRIGHT_BAD_ARGUMENT, "from 0 to 3");
  expectError(tilewright_session_set(session.get(), "opt-level", "fast"), TILEWRIGHT_BAD_ARGUMENT, "'fast'");
  EXPECT_EQ(tilewright_session_set(session.get(), "opt-level", "3"), nullptr);

  tilewright_entry *entry = nullptr;
  expectError(tilewright_entry_load(session.get(), doubled, sizeof(doubled) - 1, "triple", &entry),
              TILEWRIGHT_BAD_ARGUMENT, "'triple'");
  expectError(tilewright_entry_load(session.get(), doubled, 100, nullptr, &entry), TILEWRIGHT_BAD_MODULE, "error");
  expectError(tilewright_entry_load(session.get(), "\x7fTileIR", 7, nullptr, &entry), TILEWRIGHT_BAD_MODULE, "");
  expectError(tilewright_entry_load(session.get(), nullptr, 0, nullptr, &entry), TILEWRIGHT_BAD_ARGUMENT, "null");
  EXPECT_EQ(entry, nullptr);
  char *bytes = nullptr;
  size_t size = 0;
  expectError(tilewright_compile(session.get(), doubled, sizeof(doubled) - 1, "ptx", &bytes, &size),
              TILEWRIGHT_BAD_ARGUMENT, "ptx");
  EXPECT_EQ(bytes, nullptr);
}

TEST(CApi, ChecksALaunch) {
  auto session = open("cpu");
  auto entry = load(session.get(), "double");
  float number = 1, *address = &number;
  void *values[] = {&address, nullptr};
  int64_t one[3] = {1, 1, 1}, empty[3] = {1, 0, 1}, large[3] = {1, 1, 65536};
  auto launch = [&](const int64_t *grid, void *const *given, size_t count, void *stream) {
    return tilewright_entry_launch(entry.get(), grid, given, count, stream);
  };
  expectError(launch(one, values, 2, nullptr), TILEWRIGHT_BAD_ARGUMENT, "has 1 parameters, got 2");
  expectError(launch(one, values + 1, 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "value 0");
  expectError(launch(one, nullptr, 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "value 0");
  expectError(launch(empty, values, 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "extent 0 on axis 1");
  expectError(launch(large, values, 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "expected 1 to 65535");
  expectError(launch(nullptr, values, 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "extent 0 on axis 0");
  expectError(launch(one, values, 1, &number), TILEWRIGHT_BAD_ARGUMENT, "stream");
  expectError(tilewright_entry_launch(nullptr, one, values, 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "null");
  EXPECT_EQ(number, 1);
  address = nullptr;
  expectError(launch(one, values, 1, nullptr), TILEWRIGHT_FAULT, "double raised signal 11 at address 0x0");
}

TEST(CApi, CompilesToALevel) {
  char *bytes = nullptr;
  size_t size = 0;
  expectError(tilewright_compile(open("nvidia:sm_90").get(), doubled, sizeof(doubled) - 1, "ptx", &bytes, &size),
              TILEWRIGHT_OK, "");
  ASSERT_NE(bytes, nullptr);
  EXPECT_EQ(strlen(bytes), size);
  EXPECT_NE(std::string(bytes).find(".target sm_90a"), std::string::npos);
  tilewright_bytes_free(bytes);
}

TEST(CApi, KeepsCodeInACache) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilewright-session", folder));
  auto session = open("cpu");
  EXPECT_EQ(tilewright_session_set(session.get(), "cache", folder.c_str()), nullptr);
  // Code of another level, so that no other test of this process has it.
  EXPECT_EQ(tilewright_session_set(session.get(), "opt-level", "2"), nullptr);
  auto originOf = [&] { return std::string(tilewright_entry_origin(load(session.get(), "double").get())); };
  EXPECT_EQ(originOf(), "compiled");
  EXPECT_EQ(originOf(), "disk"); // the first one was freed
  auto kept = load(session.get(), "double");
  EXPECT_EQ(originOf(), "memory");
  llvm::sys::fs::remove_directories(folder);
}

TEST(CApi, TakesNullForSuccess) {
  EXPECT_EQ(tilewright_error_status(nullptr), TILEWRIGHT_OK);
  EXPECT_STREQ(tilewright_error_message(nullptr), "");
  EXPECT_GE(tilewright_api_version(), TILEWRIGHT_API_VERSION);
}

} // namespace
