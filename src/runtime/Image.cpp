// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Image.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace tilewright {
namespace {

// The file: this line, 8 bytes checksum of the rest, 8 bytes length of the description, the description as JSON, the
// object.
constexpr StringLiteral magic = "tilewright image 1\n";
constexpr size_t headerBytes = magic.size() + 16;

void appendWord(std::string &out, uint64_t value) {
  char bytes[8];
  support::endian::write64le(bytes, value);
  out.append(bytes, sizeof(bytes));
}

json::Object describe(const EntryInfo &entry) {
  json::Array parameters;
  for (const EntryParameter &parameter : entry.parameters)
    parameters.push_back(json::Array{static_cast<int64_t>(parameter.kind), parameter.bits, parameter.written});
  return json::Object{{"name", entry.name}, {"scratch", entry.scratchBytes}, {"parameters", std::move(parameters)}};
}

bool read(const json::Value &value, EntryInfo &entry) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return false;
  auto name = object->getString("name");
  auto scratch = object->getInteger("scratch");
  const json::Array *parameters = object->getArray("parameters");
  if (!name || !scratch || !parameters)
    return false;
  entry.name = name->str();
  entry.scratchBytes = *scratch;
  for (const json::Value &item : *parameters) {
    const json::Array *fields = item.getAsArray();
    if (!fields || fields->size() != 3)
      return false;
    auto kind = (*fields)[0].getAsInteger(), bits = (*fields)[1].getAsInteger();
    auto written = (*fields)[2].getAsBoolean();
    if (!kind || !bits || !written || *kind < 0 || *kind > static_cast<int64_t>(EntryParameter::Kind::Float))
      return false;
    entry.parameters.push_back({static_cast<EntryParameter::Kind>(*kind), static_cast<unsigned>(*bits), *written});
  }
  return true;
}

} // namespace

std::string Image::serialize() const {
  json::Array list;
  for (const EntryInfo &entry : entries)
    list.push_back(describe(entry));
  // Messages may quote source bytes; JSON must stay valid.
  std::string description;
  raw_string_ostream(description) << json::Value(
      json::Object{{"entries", std::move(list)}, {"remarks", json::fixUTF8(remarks)}});

  std::string body;
  appendWord(body, description.size());
  body += description;
  body += object;
  std::string out = magic.str();
  appendWord(out, xxh3_64bits(body));
  return out + body;
}

Expected<Image> Image::deserialize(StringRef bytes) {
  auto broken = [] { return createStringError("the file is truncated, altered, or from another version"); };
  if (!bytes.starts_with(magic) || bytes.size() < headerBytes)
    return broken();
  StringRef body = bytes.drop_front(magic.size() + 8);
  if (support::endian::read64le(bytes.data() + magic.size()) != xxh3_64bits(body))
    return broken();
  uint64_t length = support::endian::read64le(body.data());
  body = body.drop_front(8);
  if (length > body.size())
    return broken();

  Expected<json::Value> description = json::parse(body.take_front(length));
  if (!description)
    return description.takeError();
  Image image;
  const json::Object *object = description->getAsObject();
  const json::Array *entries = object ? object->getArray("entries") : nullptr;
  if (!entries)
    return broken();
  for (const json::Value &value : *entries)
    if (!read(value, image.entries.emplace_back()))
      return broken();
  if (auto remarks = object->getString("remarks"))
    image.remarks = remarks->str();
  image.object = body.drop_front(length).str();
  return image;
}

} // namespace tilewright
