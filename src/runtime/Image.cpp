// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Image.h"

#include "runtime/ImageFile.h"

using namespace llvm;

namespace tilewright {
namespace {

constexpr StringLiteral magic = "tilewright image 2\n";

} // namespace

json::Value toJSON(const EntryParameter &parameter) {
  return json::Array{static_cast<int64_t>(parameter.kind), parameter.bits, parameter.written};
}

bool fromJSON(const json::Value &value, EntryParameter &parameter, json::Path path) {
  const json::Array *fields = value.getAsArray();
  if (!fields || fields->size() != 3)
    return path.report("expected three fields"), false;
  auto kind = (*fields)[0].getAsInteger(), bits = (*fields)[1].getAsInteger();
  auto written = (*fields)[2].getAsBoolean();
  if (!kind || !bits || !written || *kind < 0 || *kind > static_cast<int64_t>(EntryParameter::Kind::Float))
    return path.report("expected kind, bits, written"), false;
  parameter.kind = static_cast<EntryParameter::Kind>(*kind);
  parameter.bits = static_cast<unsigned>(*bits);
  parameter.written = *written;
  return true;
}

static json::Value toJSON(const EntryInfo &entry) {
  return json::Object{{"name", entry.name}, {"scratch", entry.scratchBytes}, {"parameters", entry.parameters}};
}

static bool fromJSON(const json::Value &value, EntryInfo &entry, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("name", entry.name) && map.map("scratch", entry.scratchBytes) &&
         map.map("parameters", entry.parameters);
}

std::string Image::serialize() const {
  // Messages may quote source bytes; JSON must stay valid.
  return ImageFile{json::Object{{"entries", entries}, {"remarks", json::fixUTF8(remarks)}}, object}.serialize(magic);
}

Expected<Image> Image::deserialize(StringRef bytes) {
  auto file = ImageFile::deserialize(magic, bytes);
  if (!file)
    return file.takeError();
  Image image;
  json::Path::Root root;
  json::ObjectMapper map(file->description, root);
  if (!map || !map.map("entries", image.entries) || !map.map("remarks", image.remarks))
    return brokenImage();
  image.object = std::move(file->code);
  return image;
}

} // namespace tilewright
