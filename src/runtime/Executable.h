// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled module loaded into this process.
#ifndef TILEWRIGHT_RUNTIME_EXECUTABLE_H
#define TILEWRIGHT_RUNTIME_EXECUTABLE_H

#include "runtime/Image.h"
#include "runtime/Scheduler.h"
#include <deque>
#include <memory>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace tilewright {

class Executable {
public:
  struct Entry : KernelEntry {
    EntryInfo info;
  };

  // Links the object into memory and finds its entries.
  static llvm::Expected<std::shared_ptr<Executable>> load(Image image);
  ~Executable();

  // The entry of that name; the only one for an empty name. Null if there is none.
  const Entry *find(llvm::StringRef name) const;
  const std::deque<Entry> &entries() const { return loaded; }
  const std::string &remarks() const { return remarkText; }

private:
  Executable();
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::deque<Entry> loaded; // entries are not movable: launches update their statistics
  std::string remarkText;
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_EXECUTABLE_H
