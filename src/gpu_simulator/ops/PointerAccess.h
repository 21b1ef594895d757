// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_GPU_SIMULATOR_OPS_POINTERACCESS_H
#define TILEWRIGHT_GPU_SIMULATOR_OPS_POINTERACCESS_H

#include "gpu_simulator/Actor.h"
#include <optional>

namespace tilewright::simulator {

/// The operands of an access through addresses, in one order.
struct PointerAccess {
  PointerAccess(Actor &actor, mlir::Value addresses, mlir::Value mask) {
    this->addresses = actor.tile(addresses);
    holding = this->addresses.holding;
    if (mask)
      this->mask = actor.tileAs(mask, holding);
  }
  bool isOn(int64_t place) const { return !mask || mask->at(place); }
  int64_t count() const { return addresses.size(); }

  Tile addresses;
  const Holding *holding;
  std::optional<Tile> mask;
};

} // namespace tilewright::simulator

#endif
