// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/DiskCache.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <thread>
#include <vector>

using namespace llvm;
using namespace tilewright;

namespace {

class DiskCacheFolder : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("tilewright-cache", folder)); }
  void TearDown() override { sys::fs::remove_directories(folder); }

  DiskCache make(uint64_t maxBytes = 1 << 20) {
    return DiskCache(folder.str().str(), maxBytes, [this](const std::string &text) { warnings.push_back(text); });
  }
  size_t countFiles() {
    std::error_code code;
    size_t count = 0;
    for (sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
      ++count;
    return count;
  }

  SmallString<128> folder;
  std::vector<std::string> warnings;
};

} // namespace

TEST_F(DiskCacheFolder, whatWasPutIsGot) {
  DiskCache cache = make();
  EXPECT_EQ(cache.get("a"), std::nullopt);
  cache.put("a", "bytes");
  EXPECT_EQ(cache.get("a"), "bytes");
  cache.put("a", "other");
  EXPECT_EQ(cache.get("a"), "other");
  EXPECT_EQ(countFiles(), 1u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(DiskCacheFolder, aNoteLiesBesideItsBytesAndGoesWithThem) {
  DiskCache cache = make(100);
  cache.put("a", std::string(60, 'x'), "what a is");
  EXPECT_TRUE(sys::fs::exists(folder + "/a.note"));
  EXPECT_EQ(countFiles(), 2u);
  cache.put("b", std::string(60, 'x'));
  cache.evict();
  EXPECT_EQ(countFiles(), 1u);
  cache.put("c", "bytes", "what c is");
  cache.dropBroken("c", "for a test");
  EXPECT_FALSE(sys::fs::exists(folder + "/c.note"));
}

TEST_F(DiskCacheFolder, theFolderIsCreated) {
  sys::path::append(folder, "deep", "er");
  DiskCache cache = make();
  cache.put("a", "bytes");
  EXPECT_EQ(cache.get("a"), "bytes");
  sys::path::remove_filename(folder);
  sys::path::remove_filename(folder);
}

TEST_F(DiskCacheFolder, anUnwritableFolderWarnsOnce) {
  SmallString<128> file(folder);
  sys::path::append(file, "file");
  std::error_code code;
  raw_fd_ostream(file, code) << "in the way";
  DiskCache cache((file + "/cache").str(), 1 << 20, [this](const std::string &text) { warnings.push_back(text); });
  cache.put("a", "bytes");
  cache.put("b", "bytes");
  EXPECT_EQ(cache.get("a"), std::nullopt);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("is ignored"), std::string::npos) << warnings[0];
}

TEST_F(DiskCacheFolder, theOldestFilesGoFirst) {
  std::string kilobyte(1000, 'x');
  {
    DiskCache cache = make();
    for (const char *key : {"a", "b", "c"}) {
      cache.put(key, kilobyte);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    cache.get("a"); // used last
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  DiskCache small = make(2500);
  small.put("d", kilobyte);
  EXPECT_NE(small.get("a"), std::nullopt);
  EXPECT_EQ(small.get("b"), std::nullopt);
  EXPECT_EQ(small.get("c"), std::nullopt);
  EXPECT_NE(small.get("d"), std::nullopt);
}

TEST_F(DiskCacheFolder, writersDoNotDisturbReaders) {
  DiskCache writer = make(), reader = make();
  std::string one(100000, '1'), two(100000, '2');
  writer.put("a", one);
  std::thread thread([&] {
    for (int i = 0; i < 50; ++i)
      writer.put("a", i % 2 ? one : two);
  });
  for (int i = 0; i < 50; ++i) {
    auto bytes = reader.get("a");
    ASSERT_TRUE(bytes);
    EXPECT_TRUE(*bytes == one || *bytes == two);
  }
  thread.join();
  EXPECT_TRUE(warnings.empty());
}

TEST(ContentKey, dependsOnEveryPartAndItsBorders) {
  EXPECT_EQ(contentKey({"ab", "c"}), contentKey({"ab", "c"}));
  EXPECT_NE(contentKey({"ab", "c"}), contentKey({"a", "bc"}));
  EXPECT_NE(contentKey({"ab", "c"}), contentKey({"ab"}));
}
