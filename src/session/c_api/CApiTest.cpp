// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/c_api/CApiFixture.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <cmath>
#include <thread>

using namespace tilewright::c_api;

namespace {

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

  tilewright_entry *entry = nullptr;
  expectError(load(session.get(), "triple", &entry), TILEWRIGHT_BAD_ARGUMENT,
              "the module has no entry 'triple', expected one of double, refuse");
  expectError(load(session.get(), "doubel", &entry), TILEWRIGHT_BAD_ARGUMENT, "as in 'double'");
  expectError(load(session.get(), nullptr, &entry), TILEWRIGHT_BAD_ARGUMENT,
              "the module has 2 entries, expected the name of one: double, refuse");
  expectError(tilewright_entry_load(session.get(), doubled, 0, nullptr, &entry), TILEWRIGHT_BAD_ARGUMENT,
              "the module has 0 entries");
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
  expectError(launch(nullptr, values, 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "the grid is null");
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
  expectError(tilewright_compile(open("cpu").get(), doubled, sizeof(doubled) - 1, "so", &bytes, &size), TILEWRIGHT_OK,
              "");
  ASSERT_GT(size, 20u);
  EXPECT_EQ(bytes[16], 3); // ET_DYN: it is linked, not an object
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

Owned<tilewright_compilation> compile(tilewright_session *session, const std::string &module, const char *level) {
  tilewright_compilation *compilation = nullptr;
  expectError(tilewright_compilation_create(session, module.data(), module.size(), level, &compilation), TILEWRIGHT_OK);
  return Owned<tilewright_compilation>(compilation);
}

TEST(CApi, ReturnsTheHeaderOfAnObject) {
  auto session = open("cpu");
  auto object = compile(session.get(), doubled, "obj");
  size_t size = 0;
  EXPECT_EQ(memcmp(tilewright_compilation_bytes(object.get(), &size),
                   "\x7f"
                   "ELF",
                   4),
            0);
  EXPECT_GT(size, 20u);
  std::string header = tilewright_compilation_header(object.get());
  EXPECT_NE(header.find("refuse_launch("), std::string::npos) << header;
  EXPECT_STREQ(tilewright_compilation_remarks(object.get()), "");
  auto text = compile(session.get(), doubled, "llvm");
  EXPECT_EQ(strlen(tilewright_compilation_bytes(text.get(), &size)), size);
  EXPECT_STREQ(tilewright_compilation_header(text.get()), "");
}

TEST(CApi, ReturnsRemarksThatAnswerHints) {
  auto session = open("cpu");
  std::string hinted = doubled;
  std::string entry = "entry @double(%p: tile<ptr<f32>>)";
  hinted.insert(hinted.find(entry) + entry.size(), " optimization_hints=<default = {occupancy = 2}>");
  EXPECT_STREQ(tilewright_compilation_remarks(compile(session.get(), hinted, "llvm").get()), "");
  EXPECT_EQ(tilewright_session_set(session.get(), "remarks", "1"), nullptr);
  std::string remarks = tilewright_compilation_remarks(compile(session.get(), hinted, "llvm").get());
  EXPECT_NE(remarks.find("occupancy"), std::string::npos) << remarks;
}

TEST(CApi, KeepsEntriesOfClosedSessions) {
  auto session = open("cpu");
  auto entry = load(session.get(), "double");
  session.reset();
  float number = 21, *address = &number;
  void *values[] = {&address};
  int64_t grid[3] = {1, 1, 1};
  EXPECT_EQ(tilewright_entry_launch(entry.get(), grid, values, 1, nullptr), nullptr);
  EXPECT_EQ(number, 42);
}

TEST(CApi, SaysInRemarksThatACacheCannotBeUsed) {
  llvm::SmallString<128> file;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tilewright-session", "", file));
  auto session = open("cpu");
  EXPECT_EQ(tilewright_session_set(session.get(), "opt-level", "0"), nullptr); // no test has this code loaded
  EXPECT_EQ(tilewright_session_set(session.get(), "cache", file.c_str()), nullptr);
  auto entry = load(session.get(), "double");
  EXPECT_STREQ(tilewright_entry_origin(entry.get()), "compiled");
  EXPECT_NE(std::string(tilewright_entry_remarks(entry.get())).find(file.c_str()), std::string::npos)
      << tilewright_entry_remarks(entry.get());
  EXPECT_STREQ(tilewright_entry_remarks(load(session.get(), "double").get()), ""); // once
  llvm::sys::fs::remove(file);
}

TEST(CApi, ChecksOptions) {
  struct Case {
    const char *option, *value, *message;
  };
  for (auto [option, value, message] : {
           Case{"speed", "9", "there is no option 'speed', expected one of opt-level, lineinfo, "},
           Case{"opt-levl", "2", "as in 'opt-level'"},
           Case{"emit", "ptx", "there is no option 'emit'"}, // of the command alone
           Case{"", "", "there is no option ''"},
           Case{"opt-level", "4", "option opt-level is '4', expected a number from 0 to 3"},
           Case{"opt-level", "fast", "option opt-level is 'fast', expected a number from 0 to 3"},
           Case{"opt-level", "", "option opt-level is '', expected a number from 0 to 3"},
           Case{"time-limit", "nan", "option time-limit is 'nan', expected seconds from 0 to 1e6"},
           Case{"time-limit", "inf", "expected seconds from 0 to 1e6"},
           Case{"time-limit", "-1", "expected seconds from 0 to 1e6"},
           Case{"device", "-1", "expected a number from 0 to 1023"},
           Case{"isolate", "alway", "option isolate is 'alway', expected never or large or always, as in 'always'"},
           Case{"cache-bytes", "99999999999999999999", "expected a number from 1"},
       }) {
    auto session = open("cpu");
    expectError(tilewright_session_set(session.get(), option, value), TILEWRIGHT_BAD_ARGUMENT, message);
  }
  auto session = open("cpu");
  for (auto [option, value] : {std::pair{"opt-level", "3"},
                               {"time-limit", "0.5"},
                               {"verify", "on"},
                               {"cache", ""},
                               {"packages", "/a:/b"},
                               {"launch-abi", "portable"},
                               {"seed", "7"}})
    EXPECT_EQ(tilewright_session_set(session.get(), option, value), nullptr) << option;
  expectError(tilewright_session_set(nullptr, "seed", "7"), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_session_set(session.get(), nullptr, "7"), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_session_set(session.get(), "seed", nullptr), TILEWRIGHT_BAD_ARGUMENT, "null");
}

TEST(CApi, ChecksTheEnvironment) {
  setenv("TILEWRIGHT_ISOLATE", "sometimes", 1);
  tilewright_session *none = nullptr;
  expectError(tilewright_session_open("cpu", &none), TILEWRIGHT_BAD_ARGUMENT,
              "environment variable TILEWRIGHT_ISOLATE is 'sometimes', expected never or large or always");
  EXPECT_EQ(none, nullptr);
  unsetenv("TILEWRIGHT_ISOLATE");
}

TEST(CApi, HoldsTheOptionsOfALaunch) {
  auto session = open("interpreter");
  EXPECT_EQ(tilewright_session_set(session.get(), "step-limit", "3"), nullptr);
  auto entry = load(session.get(), "refuse");
  int64_t grid[3] = {2, 1, 1};
  int32_t n = 0;
  void *values[] = {&n};
  expectError(tilewright_entry_launch(entry.get(), grid, values, 1, nullptr), TILEWRIGHT_FAULT, "3 operations");
}

// A chain of additions that takes the code generator a quarter of a second.
std::string longChain() {
  std::string text = "cuda_tile.module @kernels {\n  entry @slow(%n: tile<i32>) {\n    %v0 = addi %n, %n : tile<i32>\n";
  for (int i = 0; i != 3000; ++i)
    text += "    %v" + std::to_string(i + 1) + " = muli %v" + std::to_string(i) + ", %n : tile<i32>\n";
  return text + "    print_tko \"%d\", %v3000 : tile<i32> -> token\n    return\n  }\n}\n";
}

TEST(CApi, StopsAtTheTimeLimit) {
  auto session = open("cpu");
  EXPECT_EQ(tilewright_session_set(session.get(), "time-limit", "0.02"), nullptr);
  std::string slow = longChain();
  tilewright_entry *entry = nullptr;
  expectError(tilewright_entry_load(session.get(), slow.data(), slow.size(), "slow", &entry), TILEWRIGHT_TIME_LIMIT,
              "not done after");
  EXPECT_EQ(entry, nullptr);
}

// Every prefix of a module, and modules with one byte changed, are refused or loaded; nothing else happens.
TEST(CApi, ReturnsTheDiagnosticsOfMalformedBytes) {
  auto session = open("interpreter");
  char *bytes = nullptr;
  size_t size = 0;
  auto writer = open("cpu");
  ASSERT_EQ(tilewright_compile(writer.get(), doubled, sizeof(doubled) - 1, "tilebc", &bytes, &size), nullptr);
  std::string module(bytes, size);
  tilewright_bytes_free(bytes);
  size_t refused = 0, loaded = 0;
  auto tryToLoad = [&](const std::string &given) {
    tilewright_entry *entry = nullptr;
    Owned<tilewright_error> error(tilewright_entry_load(session.get(), given.data(), given.size(), "double", &entry));
    ASSERT_EQ(error == nullptr, entry != nullptr);
    ++(error ? refused : loaded);
    if (error)
      EXPECT_NE(*tilewright_error_message(error.get()), 0);
    tilewright_entry_free(entry);
  };
  for (size_t length = 0; length < size; length += 7)
    tryToLoad(module.substr(0, length));
  for (size_t place = 0; place < size; place += 5) {
    std::string changed = module;
    changed[place] ^= 0x15;
    tryToLoad(changed);
  }
  tryToLoad(module);
  EXPECT_GE(loaded, 1u);
  EXPECT_GT(refused, size / 7);
}

// A session and an entry in many threads at once; the sanitizers look on.
TEST(CApi, IsCalledByManyThreads) {
  auto session = open("cpu");
  auto shared = load(session.get(), "double");
  constexpr int numThreads = 8, numLaunches = 50;
  std::vector<std::vector<float>> numbers(numThreads, std::vector<float>(100, 1));
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int thread = 0; thread < numThreads; ++thread)
    threads.emplace_back([&, thread] {
      float *address = numbers[thread].data();
      void *values[] = {&address};
      int64_t grid[3] = {100, 1, 1};
      for (int i = 0; i < numLaunches; ++i) {
        tilewright_entry *own = nullptr;
        failures += tilewright_session_set(session.get(), "seed", "1") != nullptr;
        failures += load(session.get(), "double", &own) != nullptr;
        const tilewright_entry *entry = i % 2 ? own : shared.get();
        failures += tilewright_entry_launch(entry, grid, values, 1, nullptr) != nullptr;
        tilewright_entry_free(own);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  for (const std::vector<float> &list : numbers)
    EXPECT_EQ(list, std::vector<float>(100, std::ldexp(1.0f, numLaunches)));
}

TEST(CApi, GivesAnErrorForEveryNull) {
  auto session = open("cpu");
  auto entry = load(session.get(), "double");
  void *memory = nullptr;
  char *bytes = nullptr;
  size_t size = 0;
  tilewright_parameter parameter;
  expectError(tilewright_compile(nullptr, doubled, 1, "llvm", &bytes, &size), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_compile(session.get(), nullptr, 1, "llvm", &bytes, &size), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_compile(session.get(), doubled, 1, "llvm", nullptr, &size), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_compile(session.get(), doubled, 1, "llvm", &bytes, nullptr), TILEWRIGHT_BAD_ARGUMENT, "null");
  tilewright_compilation *none = nullptr;
  expectError(tilewright_compilation_create(nullptr, doubled, 1, "llvm", &none), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_compilation_create(session.get(), nullptr, 1, "llvm", &none), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_compilation_create(session.get(), doubled, 1, "llvm", nullptr), TILEWRIGHT_BAD_ARGUMENT,
              "null");
  EXPECT_EQ(none, nullptr);
  tilewright_compilation_free(nullptr);
  EXPECT_STREQ(tilewright_compilation_bytes(nullptr, nullptr), "");
  EXPECT_STREQ(tilewright_compilation_remarks(nullptr), "");
  EXPECT_STREQ(tilewright_compilation_header(nullptr), "");
  expectError(tilewright_entry_parameter(nullptr, 0, &parameter), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_entry_parameter(entry.get(), 0, nullptr), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_entry_parameter(entry.get(), 1, &parameter), TILEWRIGHT_BAD_ARGUMENT,
              "parameter 1 of entry 'double', expected a number below 1");
  expectError(tilewright_memory_allocate(nullptr, 1, &memory), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_memory_allocate(session.get(), 1, nullptr), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_memory_allocate(session.get(), SIZE_MAX, &memory), TILEWRIGHT_OUT_OF_MEMORY, "no memory");
  expectError(tilewright_memory_write(session.get(), nullptr, &size, 1), TILEWRIGHT_BAD_ARGUMENT, "null");
  expectError(tilewright_memory_read(session.get(), &size, nullptr, 1), TILEWRIGHT_BAD_ARGUMENT, "null");
  EXPECT_EQ(tilewright_memory_write(session.get(), nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(tilewright_memory_read(session.get(), nullptr, nullptr, 0), nullptr);
  tilewright_memory_free(nullptr, nullptr);
  tilewright_session_close(nullptr);
  tilewright_entry_free(nullptr);
  tilewright_error_free(nullptr);
  tilewright_bytes_free(nullptr);
  EXPECT_STREQ(tilewright_entry_name(nullptr), "");
  EXPECT_STREQ(tilewright_entry_origin(nullptr), "");
  EXPECT_STREQ(tilewright_entry_remarks(nullptr), "");
  EXPECT_EQ(tilewright_entry_num_parameters(nullptr), 0u);
}

TEST(CApi, TakesNullForSuccess) {
  EXPECT_EQ(tilewright_error_status(nullptr), TILEWRIGHT_OK);
  EXPECT_STREQ(tilewright_error_message(nullptr), "");
  EXPECT_GE(tilewright_api_version(), TILEWRIGHT_API_VERSION);
}

} // namespace
