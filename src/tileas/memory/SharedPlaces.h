// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in shared memory. Operations are numbered as they stand; a buffer needs its bytes from its first access to its
// last, and where these are in a loop that its alloc is not in, as long as the loop runs. Large buffers choose first,
// each the lowest place that no other has at the same time.
#ifndef TILEWRIGHT_TILEAS_MEMORY_SHAREDPLACES_H
#define TILEWRIGHT_TILEAS_MEMORY_SHAREDPLACES_H

#include "machine/Architecture.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// When a buffer is needed, in numbers of operations.
struct Lifetime {
  unsigned begin = ~0u, end = 0;

  void include(Lifetime other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
  bool meets(Lifetime other) const { return begin <= other.end && other.begin <= end; }
};

/// Of a tileas.alloc, a tileas.create_pipeline, a tileas.create_exchange, a tileaa.alloca or, before it has a buffer, a
/// tileas.convert_layout.
struct SharedPlace {
  mlir::Operation *op;
  int64_t bytes, alignment;
  Lifetime life;
  int64_t offset = 0;
};

/// The bytes that buffers of the function may take: a block's shared memory, without the place of records for the host
/// where the function has prints or asserts.
int64_t sharedLimit(mlir::func::FuncOp function, const nvidia::Architecture &architecture);

class SharedPlaces {
public:
  explicit SharedPlaces(mlir::func::FuncOp function);
  /// As they will be when each change of layout goes through a buffer, without those of operations in `skipped`.
  SharedPlaces(mlir::func::FuncOp function, const llvm::DenseSet<mlir::Operation *> &skipped);

  llvm::ArrayRef<SharedPlace> all() const { return places; }
  int64_t total() const;
  const SharedPlace &largest() const;
  /// The most bytes that are needed at one time until the operation ends, each place rounded up to 1024.
  int64_t mostUntil(mlir::Operation *op) const;

private:
  SharedPlaces(mlir::func::FuncOp function, const llvm::DenseSet<mlir::Operation *> &skipped, bool withConversions);
  void number(mlir::Region &region);
  Lifetime lifeOf(mlir::Operation *op, mlir::Operation *owner);
  void add(mlir::Operation *op, int64_t bytes, int64_t alignment, Lifetime life);
  void place();

  llvm::DenseMap<mlir::Operation *, Lifetime> lives;
  unsigned count = 0;
  std::vector<SharedPlace> places;
  llvm::DenseMap<mlir::Operation *, size_t> numbers;
};

} // namespace tilewright::tileas

#endif
