// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/GpuImage.h"

#include "runtime/ImageFile.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::cuda {
namespace {

constexpr StringLiteral magic = "tilewright gpu image 1\n";

} // namespace

// -- the description: an object for each struct; what has its default may be left out

template <typename T> static bool mapEnum(json::ObjectMapper &map, StringLiteral name, T &value, T last) {
  std::optional<int64_t> number;
  if (!map.mapOptional(name, number))
    return false;
  if (number && (*number < 0 || *number > static_cast<int64_t>(last)))
    return false;
  if (number)
    value = static_cast<T>(*number);
  return true;
}

static json::Value toJSON(const LaunchNumber &number) {
  return json::Array{number.parameter, number.factor, number.divisor, number.constant};
}

static bool fromJSON(const json::Value &value, LaunchNumber &number, json::Path path) {
  std::vector<int64_t> fields;
  if (!fromJSON(value, fields, path) || fields.size() != 4 || fields[0] < -1 || fields[2] < 1)
    return false;
  number = {static_cast<int>(fields[0]), fields[1], fields[2], fields[3]};
  return true;
}

static json::Value toJSON(const TensorMapInfo &map) {
  return json::Object{{"pointer", map.pointer},
                      {"offset", map.offset},
                      {"element", static_cast<int64_t>(map.element)},
                      {"shape", map.shape},
                      {"strides", map.strides},
                      {"box", map.box},
                      {"steps", map.steps},
                      {"interleave", static_cast<int64_t>(map.interleave)},
                      {"swizzle", static_cast<int64_t>(map.swizzle)},
                      {"l2", static_cast<int64_t>(map.l2Promotion)},
                      {"fill", static_cast<int64_t>(map.fill)}};
}

static bool fromJSON(const json::Value &value, TensorMapInfo &info, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("pointer", info.pointer) && map.mapOptional("offset", info.offset) &&
         mapEnum(map, "element", info.element, TensorMapInfo::Element::TF32Ftz) && map.map("shape", info.shape) &&
         map.map("strides", info.strides) && map.map("box", info.box) && map.mapOptional("steps", info.steps) &&
         mapEnum(map, "interleave", info.interleave, TensorMapInfo::Interleave::B32) &&
         mapEnum(map, "swizzle", info.swizzle, TensorMapInfo::Swizzle::B128) &&
         mapEnum(map, "l2", info.l2Promotion, TensorMapInfo::L2Promotion::B256) &&
         mapEnum(map, "fill", info.fill, TensorMapInfo::Fill::Nan);
}

static json::Value toJSON(const HiddenParameter &hidden) {
  return json::Object{{"kind", static_cast<int64_t>(hidden.kind)}, {"index", hidden.index}};
}

static bool fromJSON(const json::Value &value, HiddenParameter &hidden, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapEnum(map, "kind", hidden.kind, HiddenParameter::Kind::RecordCapacity) &&
         map.mapOptional("index", hidden.index);
}

static json::Value toJSON(const RecordSite &site) {
  return json::Object{{"kind", site.kind}, {"file", json::fixUTF8(site.file)}, {"line", site.line}};
}

static bool fromJSON(const json::Value &value, RecordSite &site, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("kind", site.kind) && map.map("file", site.file) && map.map("line", site.line);
}

static json::Value toJSON(const GpuEntry &entry) {
  return json::Object{{"name", entry.name},
                      {"parameters", entry.parameters},
                      {"threads", entry.threads},
                      {"cluster", json::Array{entry.cluster[0], entry.cluster[1], entry.cluster[2]}},
                      {"split", entry.split},
                      {"shared", entry.dynamicSharedBytes},
                      {"blocksPerSm", entry.blocksPerSm},
                      {"tensorMaps", entry.tensorMaps},
                      {"hidden", entry.hidden},
                      {"fallback", entry.fallback},
                      {"hostBuffer", entry.usesHostBuffer},
                      {"recordTracks", entry.recordTracks},
                      {"recordSites", entry.recordSites}};
}

static bool fromJSON(const json::Value &value, GpuEntry &entry, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<unsigned> cluster = {1, 1, 1};
  if (!map || !map.map("name", entry.name) || !map.map("parameters", entry.parameters) ||
      !map.map("threads", entry.threads) || !map.mapOptional("cluster", cluster) || cluster.size() != 3 ||
      !map.mapOptional("split", entry.split) || !map.mapOptional("shared", entry.dynamicSharedBytes) ||
      !map.mapOptional("blocksPerSm", entry.blocksPerSm) || !map.mapOptional("tensorMaps", entry.tensorMaps) ||
      !map.mapOptional("hidden", entry.hidden) || !map.mapOptional("fallback", entry.fallback) ||
      !map.mapOptional("hostBuffer", entry.usesHostBuffer) || !map.mapOptional("recordTracks", entry.recordTracks) ||
      !map.mapOptional("recordSites", entry.recordSites))
    return false;
  copy(cluster, entry.cluster);
  return true;
}

static json::Value toJSON(const HostTile &tile) {
  return json::Object{{"type", static_cast<int64_t>(tile.type)}, {"shape", tile.shape}};
}

static bool fromJSON(const json::Value &value, HostTile &tile, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapEnum(map, "type", tile.type, TILEWRIGHT_F64) && map.map("shape", tile.shape) &&
         all_of(tile.shape, [](int64_t extent) { return extent > 0 && extent <= INT32_MAX; });
}

static json::Value toJSON(const HostSite &site) {
  return json::Object{{"kind", static_cast<int64_t>(site.kind)},
                      {"text", json::fixUTF8(site.text)},
                      {"file", json::fixUTF8(site.file)},
                      {"line", site.line},
                      {"tiles", site.tiles}};
}

static bool fromJSON(const json::Value &value, HostSite &site, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapEnum(map, "kind", site.kind, HostSite::Kind::Assert) && map.map("text", site.text) &&
         map.mapOptional("file", site.file) && map.mapOptional("line", site.line) && map.map("tiles", site.tiles);
}

// -- what the launcher may rely on

static bool isConsistent(const GpuImage &image, const GpuEntry &entry) {
  auto isKnown = [&](const LaunchNumber &number) {
    return number.parameter < 0 || (static_cast<size_t>(number.parameter) < entry.parameters.size() &&
                                    entry.parameters[number.parameter].kind == EntryParameter::Kind::Integer);
  };
  for (const TensorMapInfo &map : entry.tensorMaps)
    if (map.pointer >= entry.parameters.size() || entry.parameters[map.pointer].kind != EntryParameter::Kind::Pointer ||
        map.shape.empty() || map.shape.size() > 5 || map.strides.size() + 1 != map.shape.size() ||
        map.box.size() != map.shape.size() || (!map.steps.empty() && map.steps.size() != map.shape.size()) ||
        !isKnown(map.offset) || !all_of(map.shape, isKnown) || !all_of(map.strides, isKnown))
      return false;
  for (const HiddenParameter &hidden : entry.hidden)
    if (hidden.kind == HiddenParameter::Kind::TensorMap && hidden.index >= entry.tensorMaps.size())
      return false;
  if (entry.threads == 0 || !entry.cluster[0] || !entry.cluster[1] || !entry.cluster[2] || !entry.split)
    return false;
  if (entry.fallback.empty())
    return true;
  const GpuEntry *fallback = image.find(entry.fallback);
  return fallback && fallback->fallback.empty() && fallback->parameters.size() == entry.parameters.size();
}

std::string GpuImage::serialize() const {
  return ImageFile{json::Object{{"architecture", architecture},
                                {"entries", entries},
                                {"hostSites", hostSites},
                                {"remarks", json::fixUTF8(remarks)}},
                   code}
      .serialize(magic);
}

Expected<GpuImage> GpuImage::deserialize(StringRef bytes) {
  auto file = ImageFile::deserialize(magic, bytes);
  if (!file)
    return file.takeError();
  return readGpuImage(file->description, std::move(file->code));
}

Expected<GpuImage> readGpuImage(const json::Value &description, std::string code) {
  GpuImage image;
  json::Path::Root root("image");
  json::ObjectMapper map(description, root);
  if (!map || !map.map("architecture", image.architecture) || !map.map("entries", image.entries) ||
      !map.mapOptional("hostSites", image.hostSites) || !map.mapOptional("remarks", image.remarks) ||
      !all_of(image.entries, [&](const GpuEntry &entry) { return isConsistent(image, entry); }))
    return brokenImage();
  image.code = std::move(code);
  return image;
}

bool GpuImage::isPtx() const {
  return !StringRef(code).starts_with("\177ELF") && StringRef(code).contains("\n.version ");
}

const GpuEntry *GpuImage::find(StringRef name) const {
  if (!name.empty()) {
    auto found = find_if(entries, [&](const GpuEntry &entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
  }
  const GpuEntry *only = nullptr;
  for (const GpuEntry &entry : entries) {
    if (any_of(entries, [&](const GpuEntry &other) { return other.fallback == entry.name; }))
      continue;
    if (only)
      return nullptr;
    only = &entry;
  }
  return only;
}

} // namespace tilewright::cuda
