// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that the threads of a block start from global to shared memory (cp.async), and the waits for them.
#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/InlinePtx.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/PipelineState.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"
#include "lower/tileas_to_nvvm/VectorRegisters.h"
#include "lower/tileas_to_nvvm/ViewAccess.h"
#include "tileas/analysis/CopyWidth.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

Value stageOffset(Value pipeline, Value stage, unsigned index, TileRegisters &tiles) {
  auto create = pipeline.getDefiningOp<tileas::CreatePipelineOp>();
  return placeInRing(create.getPipeline().getType(), *create.getOffset(), stage, index, tiles);
}

// One instruction. Where the bytes are not inside of the array it fills with zeros and reads nothing.
void copy(Value target, Value source, int64_t bytes, Value inside, Value condition, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  SmallVector<Value> operands{target, source};
  // Past the caches of threads where the instruction can.
  std::string text =
      bytes == 16 ? "cp.async.cg.shared.global [$0], [$1], 16" : "cp.async.ca.shared.global [$0], [$1], ";
  if (bytes != 16)
    text += std::to_string(bytes);
  std::string constraints = "r,l";
  if (inside) {
    operands.push_back(arith::SelectOp::create(b, loc, inside, tiles.i32(bytes), tiles.i32(0)));
    text += ", $2";
    constraints += ",r";
  }
  if (condition) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    operands.push_back(condition);
    constraints += ",b";
  }
  actByPtx(text + ";", constraints, operands, tiles);
}

// The copies that one operation starts: what a thread holds by the layout goes to its places in the buffer.
class StageCopies {
public:
  template <typename Load>
  StageCopies(Load load, Value stage, LinearLayout copier, TileRegisters &tiles)
      : tiles(tiles), layout(std::move(copier)), buffer(load.getPipeline().getType().getBuffers()[load.getIndex()]),
        places(layout.then(buffer.getLayout().getLayout().inverse())),
        base(stageOffset(load.getPipeline(), stage, load.getIndex(), tiles)),
        condition(tiles.both(load.getCondition(), tiles.holdsOriginal(layout))) {}

  RankedTensorType tileType() const { return tileas::typeWith(buffer.getElementType(), layout); }
  bool areOriginal(unsigned reg) const { return (reg & layout.redundantBits(Dim::Register)) == 0; }

  // Of registers whose elements lie one after another at `source`; without `inside` they are zeros.
  void start(ArrayRef<unsigned> registers, Value source, Value inside) {
    OpBuilder &b = tiles.builder;
    Location loc = tiles.loc;
    Type element = buffer.getElementType();
    int64_t count = tileas::neighboursIn(places, registers), bytes = count * bytesOf(element);
    if (bytes < tileas::leastCopy) {
      OpBuilder::InsertionGuard guard(b);
      if (condition)
        b.setInsertionPointToStart(scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false).thenBlock());
      SmallVector<Value> values =
          loadGlobal(source, element, registers.size(), registers.size() * bytesOf(element), inside, tiles);
      for (auto [reg, value] : llvm::zip_equal(registers, values))
        LLVM::StoreOp::create(b, loc, packVector(value, tiles), target(reg), bytesOf(element));
      return;
    }
    Value address = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), source);
    for (size_t first = 0; first < registers.size(); first += count) {
      Value place = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), target(registers[first]));
      Value from = address;
      if (first)
        from = arith::AddIOp::create(b, loc, address, tiles.i64(first * bytesOf(element)));
      copy(place, from, bytes, inside, condition, tiles);
    }
  }

private:
  Value target(unsigned reg) {
    OpBuilder &b = tiles.builder;
    Value offset = b.createOrFold<arith::MulIOp>(tiles.loc, tiles.output(places, Dim::Offset, reg),
                                                 tiles.i32(bytesOf(buffer.getElementType())));
    return tiles.sharedPointer(b.createOrFold<arith::AddIOp>(tiles.loc, base, offset));
  }

  TileRegisters &tiles;
  LinearLayout layout; // an attribute gives a copy of it
  tileas::BufferType buffer;
  LinearLayout places;
  Value base, condition;
};

// Whether it is read past the caches of the threads.
bool isReadByHardware(Value pipeline) {
  return llvm::any_of(pipeline.getUsers(), [](Operation *user) {
    auto stage = dyn_cast<tileas::StageOp>(user);
    return stage && llvm::any_of(stage->getUsers(), tileas::multipliesByHardware);
  });
}

} // namespace

void tilewright::lowerStage(tileas::StageOp stage, TileRegisters &tiles) {
  tiles.set(stage, stageOffset(stage.getPipeline(), stage.getStage(), stage.getIndex(), tiles));
}

void tilewright::lowerAsyncLoad(tileas::AsyncLoadOp load, TileRegisters &tiles) {
  StageCopies copies(load, load.getStage(), load.getLayout().getLayout(), tiles);
  ViewAccess access({load.getView(), load.getOffsets(), load.getDimMap(), load.getInbounds(), copies.tileType()},
                    tiles);
  access.remark(load);
  for (unsigned start : access.starts())
    if (copies.areOriginal(start))
      copies.start(access.registersFrom(start), access.pointer(start), access.isInside(start));
}

void tilewright::lowerAsyncLoadPtr(tileas::AsyncLoadPtrOp load, Value stage, TileRegisters &tiles) {
  StageCopies copies(load, stage, tileas::layoutOf(cast<RankedTensorType>(load.getAddresses().getType())), tiles);
  int64_t bytes = bytesOf(copies.tileType().getElementType());
  VectorRegisters vector = chooseVector(load.getAddresses(), load.getMask(), bytes, tiles);
  SmallVector<Value> addresses = tiles.get(load.getAddresses());
  for (unsigned start : vector.starts(addresses.size()))
    if (copies.areOriginal(start))
      copies.start(vector.from(start), tiles.globalPointer(addresses[start]), tiles.elementOf(load.getMask(), start));
}

void tilewright::lowerAsyncCommit(tileas::AsyncCommitOp, TileRegisters &tiles) {
  NVVM::CpAsyncCommitGroupOp::create(tiles.builder, tiles.loc);
}

void tilewright::lowerAsyncWait(tileas::AsyncWaitOp wait, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  NVVM::CpAsyncWaitGroupOp::create(b, tiles.loc, wait.getPending());
  if (std::optional<uint64_t> products = wait.getProducts())
    NVVM::WgmmaWaitGroupSyncOp::create(b, tiles.loc, *products);
  if (isReadByHardware(wait.getPipeline()))
    showToHardware(tiles);
  tiles.barrier();
}
