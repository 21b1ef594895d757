// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Aarch64Features.h"

#include "options/Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/AArch64TargetParser.h"

using namespace llvm;

namespace tilewright {

static Error unknownFeature(StringRef name) {
  SmallVector<StringRef> known;
  for (const AArch64::ExtensionInfo &each : AArch64::Extensions)
    if (!each.UserVisibleName.empty())
      known.push_back(each.UserVisibleName);
  llvm::sort(known);
  StringRef nearest = nearestOf(name, known);
  return createStringError("there is no feature '" + name + "' of aarch64" +
                           (nearest.empty() ? "" : ", the nearest is '" + nearest.str() + "'") + ", expected one of " +
                           join(known, ", "));
}

Expected<std::string> aarch64Features(StringRef cpu, ArrayRef<StringRef> more) {
  AArch64::ExtensionSet set;
  if (auto known = AArch64::parseCpu(cpu))
    set.addCPUDefaults(*known);
  else
    set.addArchDefaults(AArch64::ARMV8A);
  for (StringRef name : more)
    if (!AArch64::parseArchExtension(name) || !set.parseModifier(name))
      return unknownFeature(name);
  std::vector<StringRef> features;
  set.toLLVMFeatureList(features);
  return join(features, ",");
}

} // namespace tilewright
