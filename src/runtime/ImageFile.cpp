// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ImageFile.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright {
namespace {

void appendWord(std::string &out, uint64_t value) {
  char bytes[8];
  support::endian::write64le(bytes, value);
  out.append(bytes, sizeof(bytes));
}

} // namespace

Error brokenImage() {
  return createStringError("the file is truncated, altered, or from another version");
}

// The magic line, 8 bytes checksum of the rest, 8 bytes length of the description, the description, the code.
std::string ImageFile::serialize(StringRef magic) const {
  std::string text;
  raw_string_ostream(text) << description;
  std::string body;
  appendWord(body, text.size());
  body += text;
  body += code;
  std::string out = magic.str();
  appendWord(out, xxh3_64bits(body));
  return out + body;
}

Expected<ImageFile> ImageFile::deserialize(StringRef magic, StringRef bytes) {
  if (!bytes.starts_with(magic) || bytes.size() < magic.size() + 16)
    return brokenImage();
  StringRef body = bytes.drop_front(magic.size() + 8);
  if (support::endian::read64le(bytes.data() + magic.size()) != xxh3_64bits(body))
    return brokenImage();
  uint64_t length = support::endian::read64le(body.data());
  body = body.drop_front(8);
  if (length > body.size())
    return brokenImage();
  Expected<json::Value> description = json::parse(body.take_front(length));
  if (!description)
    return description.takeError();
  return ImageFile{std::move(*description), body.drop_front(length).str()};
}

} // namespace tilewright
