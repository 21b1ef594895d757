// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Product.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::nvidia {

// NVIDIA's data sheets and white papers: boost clock, memory bandwidth, L2. Bandwidth of the L2 cache: 5120 bytes per
// cycle of A100 (its white paper), about as much for each multiprocessor of later ones. Of H100 and H200: 64
// bytes for each multiprocessor, fitted to launches on an H100 that `python -m bench gpu --predict` measured.
//
// There is no data sheet of a GPU of 8.8 or 10.7. Their rows are those of the nearest product and have names that no
// device has: predictions compare plans, and are no times of a GPU.
ArrayRef<Product> knownProducts() {
  constexpr uint64_t megabyte = 1 << 20;
  static const Product table[] = {
      {"A100 SXM", 80, 108, 1410, 2039e9, 5120, 40 * megabyte},
      {"A100 PCIe", 80, 108, 1410, 1935e9, 5120, 40 * megabyte},
      {"A40", 86, 84, 1740, 696e9, 3072, 6 * megabyte},
      {"RTX 3090", 86, 82, 1695, 936e9, 3072, 6 * megabyte},
      {"Orin", 87, 16, 1300, 204.8e9, 512, 4 * megabyte},
      {"8.8, as Orin", 88, 16, 1300, 204.8e9, 512, 4 * megabyte},
      {"L40S", 89, 142, 2520, 864e9, 6144, 96 * megabyte},
      {"RTX 4090", 89, 128, 2520, 1008e9, 4608, 72 * megabyte},
      {"H100", 90, 132, 1755, 3352e9, 8448, 50 * megabyte},
      {"H200", 90, 132, 1755, 4800e9, 8448, 50 * megabyte},
      {"B200", 100, 148, 1850, 8000e9, 6144, 126 * megabyte},
      {"B300", 103, 148, 1850, 8000e9, 6144, 126 * megabyte},
      {"10.7, as B300", 107, 148, 1850, 8000e9, 6144, 126 * megabyte},
      {"Thor", 110, 20, 1575, 273e9, 1024, 32 * megabyte},
      {"RTX 5090", 120, 170, 2407, 1792e9, 6144, 96 * megabyte},
      {"GB10", 121, 48, 2418, 273e9, 2048, 24 * megabyte},
  };
  return table;
}

const Product *productOf(const Architecture &architecture) {
  ArrayRef<Product> all = knownProducts();
  auto found = find_if(all, [&](const Product &product) { return product.architecture == architecture.number; });
  return found == all.end() ? nullptr : &*found;
}

const Product *findProduct(const Architecture &architecture, StringRef deviceName) {
  ArrayRef<Product> all = knownProducts();
  auto found = find_if(all, [&](const Product &product) {
    return product.architecture == architecture.number &&
           deviceName.contains(StringRef(product.name).take_until([](char c) { return c == ' '; }) == "RTX"
                                   ? StringRef(product.name)
                                   : StringRef(product.name).split(' ').first);
  });
  return found == all.end() ? nullptr : &*found;
}

} // namespace tilewright::nvidia
