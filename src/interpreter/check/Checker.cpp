// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/Checker.h"

#include "interpreter/Context.h"
#include "interpreter/check/Undefined.h"
#include "interpreter/check/Words.h"
#include "runtime/Overlap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::interpreter {

namespace {

// A value of `unwritten` that is not null.
const char neverWritten = 0;

// The operands of a memory operation that determine its address and mask; pointers and stored values are checked
// element by element.
ValueRange selectors(Operation *op) {
  return llvm::TypeSwitch<Operation *, ValueRange>(op)
      .Case<cuda_tile::LoadPtrTkoOp, cuda_tile::StorePtrTkoOp, cuda_tile::AtomicRMWTkoOp, cuda_tile::AtomicCASTkoOp>(
          [](auto access) { return access.getMaskMutable(); })
      .Case<cuda_tile::LoadViewTkoOp, cuda_tile::StoreViewTkoOp, cuda_tile::AtomicRedViewTkoOp,
            cuda_tile::MultimemLoadReduceViewTkoOp, cuda_tile::MultimemReduceViewTkoOp,
            cuda_tile::MultimemStoreViewTkoOp>([](auto access) { return access.getIndex(); })
      .Default([](Operation *) { return ValueRange(); });
}

mlir::Value pointersOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, mlir::Value>(op)
      .Case([](cuda_tile::LoadPtrTkoOp load) { return load.getSource(); })
      .Case([](cuda_tile::StorePtrTkoOp store) { return store.getDestination(); })
      .Case<cuda_tile::AtomicRMWTkoOp, cuda_tile::AtomicCASTkoOp>([](auto atomic) { return atomic.getPointers(); })
      .Default([](Operation *) { return mlir::Value(); });
}

mlir::Value storedBy(Operation *op) {
  return llvm::TypeSwitch<Operation *, mlir::Value>(op)
      .Case<cuda_tile::StorePtrTkoOp, cuda_tile::AtomicRedViewTkoOp>([](auto store) { return store.getValue(); })
      .Case<cuda_tile::StoreViewTkoOp, cuda_tile::MultimemStoreViewTkoOp, cuda_tile::MultimemReduceViewTkoOp>(
          [](auto store) { return store.getTile(); })
      .Case([](cuda_tile::AtomicRMWTkoOp atomic) { return atomic.getArg(); })
      .Case([](cuda_tile::AtomicCASTkoOp atomic) { return atomic.getVal(); })
      .Default([](Operation *) { return mlir::Value(); });
}

bool accessesView(Operation *op) {
  return llvm::isa<cuda_tile::LoadViewTkoOp, cuda_tile::StoreViewTkoOp, cuda_tile::AtomicRedViewTkoOp,
                   cuda_tile::MultimemLoadReduceViewTkoOp, cuda_tile::MultimemReduceViewTkoOp,
                   cuda_tile::MultimemStoreViewTkoOp>(op);
}

bool accessesMemory(Operation *op) {
  return pointersOf(op) || accessesView(op);
}

// Two elements that share a byte: storing both is no overlap.
bool hasHalfBytes(Operation *op) {
  mlir::Value stored = storedBy(op);
  return stored && bitWidth(*elementOf(llvm::cast<cuda_tile::TileType>(stored.getType()).getElementType())) < 8 &&
         !cuda_tile::isBoolTile(stored.getType());
}

Order orderOf(cuda_tile::MemoryOrderingSemantics ordering) {
  switch (ordering) {
  case cuda_tile::MemoryOrderingSemantics::WEAK:
    return Order::Weak;
  case cuda_tile::MemoryOrderingSemantics::RELAXED:
    return Order::Relaxed;
  case cuda_tile::MemoryOrderingSemantics::ACQUIRE:
    return Order::Acquire;
  case cuda_tile::MemoryOrderingSemantics::RELEASE:
    return Order::Release;
  case cuda_tile::MemoryOrderingSemantics::ACQ_REL:
    return Order::AcquireRelease;
  }
  llvm_unreachable("all orderings are listed");
}

Scope scopeOf(const Access &access) {
  if (!access.scope || *access.scope == cuda_tile::MemoryScope::TL_BLK)
    return Scope::Block;
  return *access.scope == cuda_tile::MemoryScope::DEVICE ? Scope::Device : Scope::System;
}

} // namespace

Checker::Checker(llvm::ArrayRef<CheckedArray> arrays) : arrays(arrays) {
  for (const CheckedArray &array : arrays)
    memory.add(array);
}

Checker::~Checker() = default;

void Checker::beginLaunch(cuda_tile::EntryOp entry, llvm::ArrayRef<Value>, std::array<int64_t, 3> grid) {
  this->grid = grid;
  reportOverlaps(entry);
}

void Checker::reportOverlaps(Operation *entry) {
  auto strided = [](const Buffer &buffer) {
    return StridedArray{buffer.address, buffer.elementBytes, buffer.shape, buffer.byteStrides};
  };
  auto declared = [](const CheckedArray &a, const CheckedArray &b) {
    return llvm::any_of(a.aliasGroups,
                        [&](const std::string &group) { return llvm::is_contained(b.aliasGroups, group); });
  };
  for (auto [i, a] : llvm::enumerate(arrays))
    for (const CheckedArray &b : llvm::ArrayRef(arrays).drop_front(i + 1))
      if ((a.isWritten || b.isWritten) && !declared(a, b) && overlap(strided(a), strided(b)))
        found.add("overlap " + a.name + " " + b.name, entry,
                  "the arrays " + a.name + " and " + b.name + " overlap, and the kernel writes to " +
                      (a.isWritten ? a.name : b.name) +
                      "; it may count on disjoint arrays, unless they share an alias group");
}

void Checker::beginBlock(std::array<int64_t, 3> id) {
  block = (id[2] * grid[1] + id[1]) * grid[0] + id[0];
}

std::string Checker::inBlock(uint32_t number) const {
  return "block (" + std::to_string(number % grid[0]) + ", " + std::to_string(number / grid[0] % grid[1]) + ", " +
         std::to_string(number / grid[0] / grid[1]) + ")";
}

llvm::Error Checker::beforeOp(Operation *op, Context &context) {
  current = {};
  if (accessesMemory(op)) {
    requireDefined(op, selectors(op), context, accessesView(op) ? "the index" : "the mask");
    if (mlir::Value pointers = pointersOf(op))
      current.pointers = findUndefined(pointers, context);
    if (mlir::Value stored = storedBy(op))
      current.value = findUndefined(stored, context);
    return llvm::Error::success();
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](cuda_tile::IfOp branch) {
        requireDefined(op, branch.getCondition(), context, "the condition of the branch");
      })
      .Case([&](cuda_tile::AssertOp check) {
        requireDefined(op, check.getCondition(), context, "the condition of the assert");
      })
      .Case([&](cuda_tile::ForOp loop) {
        requireDefined(op, {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}, context,
                       "a bound of the loop");
      })
      .Case<cuda_tile::ExtractOp, cuda_tile::InsertOp>(
          [&](auto part) { requireDefined(op, part.getIndices(), context, "the index"); })
      .Case([&](cuda_tile::MakeTensorViewOp) {
        requireDefined(op, op->getOperands(), context, "the address, an extent or a stride of the tensor");
      });
  return llvm::Error::success();
}

llvm::Error Checker::afterOp(Operation *op, Context &context) {
  if (!accessesMemory(op)) {
    propagateUndefined(op, context);
    return llvm::Error::success();
  }
  mlir::Value result = op->getResult(0);
  if (auto *tile = std::get_if<Tile>(&context.frame.get(result))) {
    llvm::BitVector elements(tile->size());
    for (int64_t element : current.undefined)
      elements.set(element);
    markUndefined(*tile, std::move(elements), current.origin);
  }
  return llvm::Error::success();
}

void Checker::requireDefined(Operation *op, ValueRange values, Context &context, const llvm::Twine &use) {
  for (mlir::Value value : values)
    if (const Tile *tile = findUndefined(value, context))
      reportUse(op, *tile, tile->undefined->elements.find_first(), use);
}

void Checker::reportUse(Operation *op, const Tile &tile, int64_t element, const llvm::Twine &what) {
  Operation *origin = tile.undefined->origin;
  std::string which = tile.shape.empty() ? "" : "element " + indexText(element, tile.shape) + " of ";
  found.add(("undefined " + what).str(), op, which + what + " is undefined, in " + inBlock(block),
            Report::Note{origin, "undefined since here: " + whyUndefined(origin)});
}

uint64_t Checker::makeToken() {
  return RaceDetector::none;
}

uint64_t Checker::joinTokens(llvm::ArrayRef<uint64_t> tokens) {
  return races.join(tokens);
}

uint32_t Checker::placeOf(Operation *op) {
  auto [place, isNew] = places.try_emplace(op, operations.size());
  if (isNew)
    operations.push_back(op);
  return place->second;
}

bool Checker::access(const Access &access, std::optional<uint64_t>) {
  if (current.pointers && current.pointers->undefined->elements[access.element])
    reportUse(access.op, *current.pointers, access.element, "the address");
  const Buffer *buffer = memory.find(access.address, access.bytes);
  if (!buffer || (access.isWrite && !buffer->writable)) {
    reportOutside(access);
    return false;
  }
  if (current.value && access.isWrite && current.value->undefined->elements[access.element])
    reportUse(access.op, *current.value, access.element,
              access.isAtomic ? "the operand of the atomic" : "the stored value");
  if (hasAllocas) {
    ByteRange bytes{access.address, access.address + access.bytes};
    bool unknown = false;
    unwritten.update(bytes, [&](ByteMap::Value value, uint64_t) {
      unknown |= value != nullptr;
      return access.isWrite ? nullptr : value;
    });
    if (unknown && (!access.isWrite || access.isAtomic)) {
      current.undefined.push_back(access.element);
      current.origin = access.op;
    }
  }
  current.last = access;
  auto &list = access.isAtomic  ? current.touched.modified
               : access.isWrite ? current.touched.written
                                : current.touched.read;
  list.push_back(access.address);
  return true;
}

void Checker::reportOutside(const Access &access) {
  const Buffer *buffer = memory.find(access.address, access.bytes);
  std::string what = "this " + nameOf(access.op) + (access.isWrite ? " writes " : " reads ") +
                     memory.describe(access.address, access.bytes);
  if (buffer)
    what += ", which is read-only";
  found.add(buffer ? "read-only" : "outside", access.op, what + ", in " + inBlock(block));
}

uint64_t Checker::tokenAfter(Operation *op, std::optional<uint64_t> token) {
  uint64_t before = token.value_or(RaceDetector::none);
  Touched touched = std::move(current.touched);
  current.touched = {};
  if (touched.read.empty() && touched.written.empty() && touched.modified.empty())
    return before;
  MemoryEvent event{placeOf(op), block, orderOf(current.last.ordering), scopeOf(current.last),
                    static_cast<uint8_t>(current.last.bytes)};
  if (hasHalfBytes(op))
    for (auto *list : {&touched.written, &touched.modified}) {
      llvm::sort(*list);
      list->erase(llvm::unique(*list), list->end());
    }
  RaceDetector::Token after = races.perform(event, before, std::move(touched));
  // Said now: an alloca has no name any more when its block has ended.
  for (const Race &race : races.races().drop_front(raceElements.size()))
    raceElements.push_back(memory.describe(race.address, 1));
  return after;
}

void Checker::allocated(Operation *op, uint64_t address, uint64_t bytes) {
  Buffer buffer{nameOf(op), address, 1, {static_cast<int64_t>(bytes)}, {1}};
  // In elements, if the operation has an element type.
  mlir::Type type =
      llvm::TypeSwitch<Operation *, mlir::Type>(op)
          .Case([](cuda_tile::AllocaOp alloca) {
            return llvm::cast<cuda_tile::PtrType>(alloca.getResult().getType().getElementType()).getPointee();
          })
          .Case([](cuda_tile::GlobalOp global) { return global.getValue().getElementType(); })
          .Default([](Operation *) { return mlir::Type(); });
  if (std::optional<Element> element = type ? elementOf(type) : std::nullopt)
    if (unsigned size = storageBytes(*element); bytes % size == 0) {
      buffer.elementBytes = size;
      buffer.shape = {static_cast<int64_t>(bytes / size)};
      buffer.byteStrides = {size};
    }
  if (auto global = llvm::dyn_cast<cuda_tile::GlobalOp>(op))
    buffer.writable = !global.getConstant();
  memory.add(std::move(buffer));
  if (llvm::isa<cuda_tile::AllocaOp>(op) && bytes > 0) {
    hasAllocas = true;
    unwritten.update(ByteRange{address, address + bytes}, [](ByteMap::Value, uint64_t) { return &neverWritten; });
  }
}

void Checker::released(uint64_t address, uint64_t bytes) {
  memory.remove(address);
  if (bytes > 0) {
    unwritten.update(ByteRange{address, address + bytes}, [](ByteMap::Value, uint64_t) { return nullptr; });
    races.forget({address, address + bytes});
  }
}

void Checker::undefinedElements(Operation *op, llvm::ArrayRef<int64_t> elements) {
  current.undefined.append(elements.begin(), elements.end());
  current.origin = op;
}

void Checker::violated(Operation *op, Violation, const llvm::Twine &what) {
  std::string buffer = what.str(), text = llvm::StringRef(buffer).rtrim(',').str();
  // The same with another number is the same finding.
  std::string kind = text;
  llvm::erase_if(kind, [](char c) { return llvm::isDigit(c) || c == '-'; });
  found.add(kind, op, text + ", in " + inBlock(block));
}

std::string Checker::report(const SourceText &known) {
  return findings().text(known);
}

const Report &Checker::findings() {
  if (!std::exchange(racesSaid, true))
    reportRaces();
  return found;
}

void Checker::reportRaces() {
  for (auto [race, element] : llvm::zip_equal(races.races(), raceElements)) {
    Operation *first = operations[race.first.place], *second = operations[race.second.place];
    std::string firstBlock = inBlock(race.first.block), secondBlock = inBlock(race.second.block);
    std::string text = "data race: this " + nameOf(second);
    llvm::SmallVector<Report::Note, 1> notes;
    if (race.kind == RaceKind::SameStore) {
      text = "data race: two elements of this " + nameOf(second) + " go to " + element + ", in " + secondBlock;
    } else if (first == second) {
      text += " touches " + element +
              (firstBlock == secondBlock ? " twice in " + firstBlock : " in " + firstBlock + " and in " + secondBlock);
    } else {
      text += " in " + secondBlock + " and " + withArticle(nameOf(first)) + " touch " + element;
      notes.push_back({first, "the " + nameOf(first) + ", in " + firstBlock});
    }
    found.add("race" + std::to_string(static_cast<int>(race.kind)), second, text + "; " + whyRace(race), notes,
              race.count);
  }
}

} // namespace tilewright::interpreter
