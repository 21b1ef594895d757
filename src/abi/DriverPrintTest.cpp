// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/DriverPrint.h"

#include "abi/CFormat.h"
#include "abi/Print.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <numeric>

using namespace tilewright;
using namespace tilewright::cuda;

namespace {

using Argument = DriverPrintArgument;

// The driver's function, as far as it is used here: each conversion reads what its letter and length say, at the next
// multiple of its size.
std::string vprintf(const std::string &format, const char *arguments) {
  std::string text;
  unsigned offset = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    size_t end = format.find_first_of("diuoxXeEfFgGaA%", i + 1);
    std::string spec = format.substr(i, end + 1 - i);
    i = end;
    if (spec == "%%") {
      text += '%';
      continue;
    }
    char shown[400];
    auto show = [&](auto value) {
      offset = (offset + sizeof(value) - 1) / sizeof(value) * sizeof(value);
      std::memcpy(&value, arguments + offset, sizeof(value));
      offset += sizeof(value);
      std::snprintf(shown, sizeof(shown), spec.c_str(), value);
    };
    if (std::strchr("eEfFgGaA", spec.back()))
      show(double());
    else if (spec.find("ll") != std::string::npos)
      show(0ll);
    else
      show(0);
    text += shown;
  }
  return text;
}

double realOf(const std::string &bytes, const HostTile &tile, int64_t i) {
  if (tile.type == TILEWRIGHT_F32) {
    float value;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return value;
  }
  double value;
  std::memcpy(&value, bytes.data() + 8 * i, 8);
  return value;
}

int64_t integerOf(const std::string &bytes, const HostTile &tile, int64_t i) {
  switch (tile.type) {
  case TILEWRIGHT_I1:
  case TILEWRIGHT_U8:
    return static_cast<uint8_t>(bytes[i]);
  case TILEWRIGHT_I8:
    return static_cast<int8_t>(bytes[i]);
  case TILEWRIGHT_I32: {
    int32_t value;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return value;
  }
  case TILEWRIGHT_U32: {
    uint32_t value;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    return value;
  }
  case TILEWRIGHT_I64:
  case TILEWRIGHT_U64: {
    int64_t value;
    std::memcpy(&value, bytes.data() + 8 * i, 8);
    return value;
  }
  default:
    return static_cast<int64_t>(realOf(bytes, tile, i));
  }
}

// As a kernel does: the calls one after the other, of elements widened and packed.
std::string run(const HostSite &site, const std::vector<std::string> &tiles) {
  std::string text;
  for (const DriverPrintCall &call : driverPrintCalls(site)) {
    EXPECT_LE(call.arguments.size(), maxDriverPrintArguments);
    std::vector<unsigned> offsets = packArguments(call.arguments);
    for (int64_t time = 0; time < call.times; ++time) {
      std::string packed(offsets.back(), '\0');
      int64_t first = time * call.arguments.size();
      for (auto [i, argument] : llvm::enumerate(call.arguments)) {
        int64_t element = argument.number + (call.isLoop() ? first : 0);
        char *at = packed.data() + offsets[i];
        const HostTile &tile = site.tiles[argument.tile];
        bool isReal = tile.type == TILEWRIGHT_F32 || tile.type == TILEWRIGHT_F64;
        if (argument.source != Argument::Source::Element) {
          int32_t value = 10 * (argument.source == Argument::Source::Position) + argument.number;
          std::memcpy(at, &value, 4);
        } else if (argument.width == Argument::Width::F64) {
          int64_t integer = integerOf(tiles[argument.tile], tile, element);
          double value = isReal ? realOf(tiles[argument.tile], tile, element) : integer;
          std::memcpy(at, &value, 8);
        } else {
          int64_t value =
              tilewright_low_bits(integerOf(tiles[argument.tile], tile, element), argument.bits, argument.keepsSign);
          std::memcpy(at, &value, argument.bytes());
        }
      }
      size_t form = 0;
      if (call.isLoop())
        form = llvm::count_if(call.steps, [&](int64_t step) { return first % step == 0; });
      text += vprintf(call.formats[form], packed.data());
    }
  }
  return text;
}

template <typename T> std::string bytesOf(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

// The same from the host's buffer.
std::string expected(const HostSite &site, const std::vector<std::string> &tiles) {
  std::vector<tilewright_print_arg> arguments;
  for (auto [tile, bytes] : llvm::zip_equal(site.tiles, tiles))
    arguments.push_back({bytes.data(), tile.type, static_cast<int32_t>(tile.shape.size()), tile.shape.data()});
  std::string text;
  formatPrint(text, site.text, arguments);
  return text;
}

HostSite print(const std::string &format, std::vector<HostTile> tiles) {
  return {HostSite::Kind::Print, format, "", 0, std::move(tiles)};
}

} // namespace

TEST(DriverPrint, fewElementsAreOneCall) {
  HostSite site = print("a %d 100%% %5.2f\n", {{TILEWRIGHT_I32, {2, 2}}, {TILEWRIGHT_F32, {}}});
  std::vector<DriverPrintCall> calls = driverPrintCalls(site);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].formats, std::vector<std::string>{"a [[%d, %d], [%d, %d]] 100%% %5.2f\n"});
  std::vector<std::string> tiles = {bytesOf<int32_t>({1, -2, 3, 4}), bytesOf<float>({2.5f})};
  EXPECT_EQ(run(site, tiles), "a [[1, -2], [3, 4]] 100%  2.50\n");
}

TEST(DriverPrint, argumentsLieAtMultiplesOfTheirSizes) {
  using Width = Argument::Width;
  Argument narrow{Argument::Source::Element, Width::I32}, wide{Argument::Source::Element, Width::F64};
  EXPECT_EQ(packArguments({narrow, wide, narrow, narrow, wide}), (std::vector<unsigned>{0, 8, 16, 20, 24, 32}));
}

TEST(DriverPrint, showsWhatFormatPrintShows) {
  std::vector<HostTile> tiles = {{TILEWRIGHT_I8, {4}},  {TILEWRIGHT_U8, {4}},  {TILEWRIGHT_I1, {2}},
                                 {TILEWRIGHT_I64, {2}}, {TILEWRIGHT_U64, {2}}, {TILEWRIGHT_U32, {2}},
                                 {TILEWRIGHT_F32, {2}}, {TILEWRIGHT_F64, {2}}};
  std::vector<std::string> bytes = {
      bytesOf<int8_t>({-128, -1, 0, 127}), bytesOf<uint8_t>({0, 1, 200, 255}), bytesOf<uint8_t>({0, 1}),
      bytesOf<int64_t>({INT64_MIN, 1}),    bytesOf<uint64_t>({UINT64_MAX, 1}), bytesOf<uint32_t>({UINT32_MAX, 1}),
      bytesOf<float>({-1.75f, 1e30f}),     bytesOf<double>({0.1, -3e9})};
  for (const char *conversion : {"%d", "%i", "%u", "%x", "%#X", "%o", "%+05d", "%-6i|", "%lld", "%hhd", "%hd", "%hhu",
                                 "%hx", "%f", "%.3e", "%G", "%a", "%10.4lf", "%F"})
    for (size_t i = 0; i < tiles.size(); ++i) {
      bool isInteger = std::strpbrk(conversion, "diuoxX");
      if (isInteger && tiles[i].type == TILEWRIGHT_F32)
        continue; // 1e30 is no integer
      HostSite site = print(std::string("t: ") + conversion + "\n", {tiles[i]});
      EXPECT_EQ(run(site, {bytes[i]}), expected(site, {bytes[i]})) << conversion << " of type " << tiles[i].type;
    }
}

TEST(DriverPrint, largeTilesAreLoops) {
  for (std::vector<int64_t> shape : std::vector<std::vector<int64_t>>{
           {32}, {64}, {4096}, {2, 32}, {64, 2}, {2, 2, 64}, {4, 4, 4}, {2, 128}, {1, 64}, {64, 1}, {1, 1, 1, 256}}) {
    int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
    std::vector<int32_t> values(count);
    std::iota(values.begin(), values.end(), -5);
    HostSite site = print("x = %d, y = %g;\n", {{TILEWRIGHT_I32, shape}, {TILEWRIGHT_F32, {}}});
    std::vector<std::string> bytes = {bytesOf(values), bytesOf<float>({0.5f})};
    EXPECT_EQ(run(site, bytes), expected(site, bytes));
    EXPECT_LE(driverPrintCalls(site).size(), 2u) << "the tile with the text before it, and the rest";
  }
}

TEST(DriverPrint, callsAreFullAndNoFuller) {
  std::string format;
  std::vector<HostTile> tiles;
  std::vector<std::string> bytes;
  for (int i = 0; i < 70; ++i) {
    format += "%d ";
    tiles.push_back({TILEWRIGHT_I32, {}});
    bytes.push_back(bytesOf<int32_t>({i}));
  }
  HostSite site = print(format, tiles);
  EXPECT_EQ(driverPrintCalls(site).size(), 3u);
  EXPECT_EQ(run(site, bytes), expected(site, bytes));
}

TEST(DriverPrint, brokenFormatsAndTextOnly) {
  EXPECT_TRUE(driverPrintCalls(print("", {})).empty());
  for (const char *format : {"text", "%", "%d", "50% of %s %d", "%%d"}) {
    HostSite site = print(format, {});
    EXPECT_EQ(run(site, {}), expected(site, {})) << format;
  }
  HostSite site = print("%s %d", {{TILEWRIGHT_I32, {}}});
  EXPECT_EQ(run(site, {bytesOf<int32_t>({3})}), " 3");
}

TEST(DriverPrint, anAssertSaysWhere) {
  HostSite site{HostSite::Kind::Assert, "over 100% %d", "k%.py", 7, {{TILEWRIGHT_I1, {4, 8}}}};
  EXPECT_EQ(run(site, {std::string(32, 1)}), "k%.py:7: tile block: [0, 1, 2], position: [10, 11]: over 100% %d\n");
  HostSite scalar{HostSite::Kind::Assert, "", "k.py", 7, {{TILEWRIGHT_I1, {}}}};
  EXPECT_EQ(run(scalar, {std::string(1, 1)}), "k.py:7: tile block: [0, 1, 2], position: []: \n");
}
