// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/ways/Way.h"

using namespace llvm;

namespace tilewright::programs {

Expected<Way> parseWay(StringRef name) {
  Way way;
  way.name = name.str();
  if (name == "interpreter" || name == "checked") {
    way.kind = name == "checked" ? Way::Kind::Checked : Way::Kind::Interpreter;
    return way;
  }
  if (StringRef rest = name; rest.consume_front("tileas:")) {
    auto [target, schedules] = rest.split('/');
    auto architecture = nvidia::parseArchitecture(target);
    if (!architecture)
      return architecture.takeError();
    way.isEdited = schedules == "edited";
    if (!schedules.empty() && !way.isEdited && schedules.getAsInteger(10, way.schedules))
      return createStringError("expected a number of schedules, got '" + schedules + "'");
    way.kind = Way::Kind::Simulated;
    way.architecture = *architecture;
    return way;
  }
  // A target may have features, `cpu:aarch64+sve2/O1`: a fault is behind the level.
  auto [target, behind] = name.split('/');
  auto [level, fault] = behind.split('+');
  auto [mistaken, mistakenFor] = fault.split('=');
  way.mistaken = mistaken.str();
  way.mistakenFor = mistakenFor.str();
  auto refuse = [&] {
    return createStringError("expected 'checked', 'interpreter', or a target and a level such as 'cpu/O3', 'nvidia/O3' "
                             "or 'nvidia:sm_80/O3/ptx', got '" +
                             name + "'");
  };
  SmallVector<StringRef> parts;
  parts.push_back(target);
  level.split(parts, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (parts.size() < 2 || !parts[1].consume_front("O") || parts[1].getAsInteger(10, way.optLevel) || way.optLevel > 3)
    return refuse();
  ArrayRef<StringRef> rest = ArrayRef(parts).drop_front(2);
  if (!parts[0].starts_with("nvidia")) {
    auto machine = parseMachine(parts[0]);
    if (!machine)
      return machine.takeError();
    way.machine = *machine;
    if (machine->isa != hostMachine().isa)
      way.kind = Way::Kind::Emulated;
    return rest.empty() ? Expected<Way>(way) : refuse();
  }
  way.portable = !rest.empty() && rest.back() == "portable";
  rest = rest.drop_back(way.portable);
  if (parts[0] == "nvidia") {
    way.kind = Way::Kind::Gpu;
    return rest.empty() ? Expected<Way>(way) : refuse();
  }
  auto gpu = parseTarget(parts[0]);
  if (!gpu)
    return gpu.takeError();
  if (rest.size() != 1)
    return refuse();
  auto emitted = (*gpu)->parseLevel(rest[0]);
  if (!emitted)
    return emitted.takeError();
  way.kind = Way::Kind::CompileOnly;
  way.target = *gpu;
  way.level = *emitted;
  return way;
}

Expected<std::vector<Way>> parseWays(ArrayRef<std::string> names) {
  const std::string usual[] = {"checked", "cpu/O0", "cpu/O3"};
  std::vector<Way> ways;
  for (const std::string &name : names.empty() ? ArrayRef(usual) : names) {
    auto way = parseWay(name);
    if (!way)
      return way.takeError();
    ways.push_back(*way);
  }
  return ways;
}

} // namespace tilewright::programs
