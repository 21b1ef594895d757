// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU as one buys it: what differs between products of one generation.
#ifndef TILEWRIGHT_MACHINE_PRODUCT_H
#define TILEWRIGHT_MACHINE_PRODUCT_H

#include "machine/Architecture.h"
#include <string>

namespace tilewright::nvidia {

struct Product {
  std::string name;
  unsigned architecture = 0; // its number, as in 90
  unsigned multiprocessors = 0;
  double megahertz = 0;              // of the multiprocessors, under load
  double dramBytes = 0, l2Bytes = 0; // per second; of the cache per cycle of its multiprocessors together
  uint64_t l2Capacity = 0;           // bytes
};

/// Of the architectures in the order of their age; the first of each stands for it where there is no device.
llvm::ArrayRef<Product> knownProducts();
/// The one that stands for an architecture; null where there is none.
const Product *productOf(const Architecture &architecture);
/// The product that a device's name names, as in `NVIDIA H100 80GB HBM3`; null where none does.
const Product *findProduct(const Architecture &architecture, llvm::StringRef deviceName);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_MACHINE_PRODUCT_H
