// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Image.h"
#include "gtest/gtest.h"

using namespace tilewright;

namespace {

Image sample() {
  Image image;
  image.entries.push_back(
      {"gemm", 4096, {{EntryParameter::Kind::Pointer, 32, true}, {EntryParameter::Kind::Integer, 32, false}}});
  image.remarks = "remark: \xff not UTF-8\n";
  image.object = std::string("\0object\0", 8);
  return image;
}

} // namespace

TEST(Image, survivesTheDisk) {
  auto read = Image::deserialize(sample().serialize());
  ASSERT_TRUE(bool(read));
  ASSERT_EQ(read->entries.size(), 1u);
  EXPECT_EQ(read->entries[0].name, "gemm");
  EXPECT_EQ(read->entries[0].scratchBytes, 4096);
  ASSERT_EQ(read->entries[0].parameters.size(), 2u);
  EXPECT_TRUE(read->entries[0].parameters[0].written);
  EXPECT_EQ(read->entries[0].parameters[1].kind, EntryParameter::Kind::Integer);
  EXPECT_EQ(read->object, sample().object);
}

TEST(Image, anyBrokenByteIsNoticed) {
  std::string bytes = sample().serialize();
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string altered = bytes, truncated = bytes.substr(0, i);
    altered[i] ^= 1;
    for (const std::string &text : {altered, truncated}) {
      auto read = Image::deserialize(text);
      EXPECT_FALSE(bool(read)) << i;
      llvm::consumeError(read.takeError());
    }
  }
}
