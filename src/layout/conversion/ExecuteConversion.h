// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes a conversion on the host, as the instructions would: selects and shuffles lane by lane, shared
// memory with the addresses that each lane computes.
#ifndef TILEWRIGHT_LAYOUT_CONVERSION_EXECUTECONVERSION_H
#define TILEWRIGHT_LAYOUT_CONVERSION_EXECUTECONVERSION_H

#include "layout/conversion/Conversion.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace tilewright::layout {

// The contents of each register of each lane of each warp.
struct RegisterFile {
  unsigned registers, lanes, warps;
  std::vector<int64_t> values;

  RegisterFile(unsigned registers, unsigned lanes, unsigned warps)
      : registers(registers), lanes(lanes), warps(warps), values(size_t(registers) * lanes * warps, -1) {}
  int64_t &at(unsigned reg, unsigned lane, unsigned warp) { return values[(warp * lanes + lane) * registers + reg]; }
};

// The registers after the conversion has been executed, or an error where no instruction can do a step: an unaligned
// access, two values for one address, a read of nothing.
llvm::Expected<RegisterFile> executeConversion(const Conversion &conversion, RegisterFile values, unsigned elementBits);

// The register file that holds the number of an element wherever the layout has that element.
RegisterFile fillByLayout(const LinearLayout &layout, unsigned lanes, unsigned warps);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_CONVERSION_EXECUTECONVERSION_H
