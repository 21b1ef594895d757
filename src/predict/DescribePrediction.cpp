// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A prediction as text, and as JSON.
#include "predict/Prediction.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;

namespace tilewright::predict {
namespace {

// With three digits, as in `137 G` and the unit.
std::string scaled(double number, StringRef unit) {
  static constexpr StringLiteral prefixes[] = {"", "k", "M", "G", "T", "P"};
  size_t prefix = 0;
  for (; number >= 999.5 && prefix + 1 < std::size(prefixes); ++prefix)
    number /= 1000;
  const char *digits = number >= 99.95 ? "{0:f0} {1}{2}" : number >= 9.995 ? "{0:f1} {1}{2}" : "{0:f2} {1}{2}";
  return formatv(/*Validate=*/false, digits, number, prefixes[prefix], unit).str();
}

std::string percent(double fraction) {
  const char *digits = fraction >= 0.0995 ? "{0:f0} %" : "{0:f1} %";
  return formatv(/*Validate=*/false, digits, 100 * fraction).str();
}

using Lines = std::vector<std::pair<std::string, std::string>>;

// Without bounds of less than a twentieth of the longest one.
std::string boundsText(const Prediction &prediction) {
  std::string text;
  for (const Bound &bound : prediction.bounds)
    if (bound.seconds >= 0.05 * prediction.bounds.front().seconds)
      text += (text.empty() ? "" : ", ") + bound.name + " " + timeText(bound.seconds);
  return text;
}

std::string rooflineText(const Prediction &prediction) {
  std::string dram = formatv("{0} of DRAM, {1} of {2}", scaled(prediction.dramBytes, "B"),
                             percent(prediction.fractionOfDram()), scaled(prediction.dramBandwidth, "B/s"));
  if (prediction.operations <= 0)
    return dram;
  std::string intensity;
  if (prediction.dramBytes > 0)
    intensity =
        formatv("; {0} each byte, the ridge is at {1:f0}", scaled(prediction.intensity(), "op"), prediction.ridge());
  return formatv("{0}, {1} of {2}; {3}{4}", scaled(prediction.operations, "op"),
                 percent(prediction.fractionOfOperations()), scaled(prediction.peakOperations, "op/s"), dram,
                 intensity);
}

std::string wavesText(const Prediction &prediction) {
  std::string text = formatv("{0} in {1:f2} waves of {2}", prediction.blocks, prediction.waves, prediction.slots);
  if (prediction.occupancy.blocks)
    text += formatv("; {0} on a multiprocessor, more would need more {1}", prediction.occupancy.blocks,
                    prediction.occupancy.limit)
                .str();
  return text;
}

// Facts that the time leaves out.
Lines caveats(const Prediction &prediction) {
  Lines lines;
  auto add = [&](StringRef text) { lines.emplace_back(lines.empty() ? "not known" : "", text.str()); };
  if (!prediction.isComplete)
    add("how often a loop iterates: it counts as one iteration, and the time is too short");
  if (!prediction.isTrafficComplete)
    add("where some tiles lie: those at unknown places count as different ones, as far as their array has so many");
  if (prediction.isEstimate)
    add("registers, without an assembler: they are estimated");
  return lines;
}

} // namespace

std::string timeText(double seconds) {
  if (seconds < 1e-3)
    return formatv(seconds < 99.95e-6 ? "{0:f1} us" : "{0:f0} us", seconds * 1e6).str();
  return seconds < 1 ? formatv("{0:f2} ms", seconds * 1e3).str() : formatv("{0:f2} s", seconds).str();
}

Lines Prediction::describe() const {
  if (!isLaunchable())
    return {{"predicted", ("no block fits on " + Twine(device) + ": it needs more " + occupancy.limit).str()}};
  Lines lines;
  lines.emplace_back("predicted", timeText(seconds) + " on " + device + ", bound by " + bounds.front().name);
  lines.emplace_back("bounds", boundsText(*this));
  lines.emplace_back("roofline", rooflineText(*this));
  lines.emplace_back("blocks", wavesText(*this));
  append_range(lines, caveats(*this));
  return lines;
}

json::Object Prediction::toJson() const {
  json::Object bound;
  for (const Bound &each : bounds)
    bound[each.name] = each.seconds;
  return json::Object{
      {"device", device},
      {"seconds", seconds},
      {"bound", bounds.empty() ? json::Value(nullptr) : json::Value(bounds.front().name)},
      {"bounds", std::move(bound)},
      {"operations", operations},
      {"peak_operations", peakOperations},
      {"asked_bytes", asked},
      {"l2_bytes", l2Bytes},
      {"dram_bytes", dramBytes},
      {"dram_bandwidth", dramBandwidth},
      {"intensity", intensity()},
      {"ridge", ridge()},
      {"fraction_of_operations", fractionOfOperations()},
      {"fraction_of_dram", fractionOfDram()},
      {"block_cycles", blockCycles},
      {"blocks", blocks},
      {"blocks_at_a_time", slots},
      {"waves", waves},
      {"occupancy", json::Object{{"blocks", occupancy.blocks}, {"warps", occupancy.warps}, {"limit", occupancy.limit}}},
      {"is_launchable", isLaunchable()},
      {"is_complete", isComplete},
      {"is_traffic_complete", isTrafficComplete},
      {"is_estimate", isEstimate}};
}

} // namespace tilewright::predict
