// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that the threads of a block start from global to shared memory (cp.async), and the waits for them.
#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/PipelineState.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"
#include "lower/tileas_to_nvvm/ViewAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

constexpr int64_t leastCopy = 4;

// How many registers of an access are neighbours in shared memory as they are in global memory, and begin there at a
// multiple of their number.
int64_t neighbours(const LinearLayout &places, ArrayRef<unsigned> registers) {
  uint64_t inside = 0, outside = 0;
  int64_t count = 1;
  auto offset = [&](unsigned reg) { return places.applyFlat({{Dim::Register, reg}}); };
  for (size_t step = 1; step < registers.size(); step *= 2) {
    if ((offset(registers[step]) ^ offset(registers[0])) != step)
      break;
    inside |= registers[step] ^ registers[0];
    count *= 2;
  }
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    for (auto [bit, basis] : llvm::enumerate(places.basisOf(in)))
      if (in != Dim::Register || !(inside >> bit & 1))
        outside |= basis;
  while (count > 1 && outside & (count - 1))
    count /= 2;
  return count;
}

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
  LLVM::InlineAsmOp::create(b, loc, LLVM::LLVMVoidType::get(b.getContext()), operands, text + ";",
                            constraints + ",~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
                            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}

// Whether it is read past the caches of the threads.
bool isReadByHardware(Value pipeline) {
  return llvm::any_of(pipeline.getUsers(), [](Operation *user) {
    auto stage = dyn_cast<tileas::StageOp>(user);
    return stage && llvm::any_of(stage->getUsers(), [](Operation *reader) {
             auto mma = dyn_cast<tileas::MmaOp>(reader);
             return mma && mma.getAtom().getKind() == tileas::AtomKind::Wgmma;
           });
  });
}

} // namespace

void tilewright::lowerStage(tileas::StageOp stage, TileRegisters &tiles) {
  tiles.set(stage, stageOffset(stage.getPipeline(), stage.getStage(), stage.getIndex(), tiles));
}

void tilewright::lowerAsyncLoad(tileas::AsyncLoadOp load, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  tileas::BufferType buffer = load.getPipeline().getType().getBuffers()[load.getIndex()];
  Type element = buffer.getElementType();
  const LinearLayout &layout = load.getLayout().getLayout();
  LinearLayout places = layout.then(buffer.getLayout().getLayout().inverse());
  ViewAccess access(
      {load.getView(), load.getOffsets(), load.getDimMap(), load.getInbounds(), tileas::typeWith(element, layout)},
      tiles);
  access.remark(load);
  Value base = stageOffset(load.getPipeline(), load.getStage(), load.getIndex(), tiles);
  Value condition = tiles.both(load.getCondition(), tiles.holdsOriginal(layout));
  auto target = [&](unsigned reg) {
    Value offset =
        b.createOrFold<arith::MulIOp>(loc, tiles.output(places, Dim::Offset, reg), tiles.i32(bytesOf(element)));
    return tiles.sharedPointer(b.createOrFold<arith::AddIOp>(loc, base, offset));
  };

  uint64_t copies = layout.redundantBits(Dim::Register);
  for (unsigned start : access.starts()) {
    if (start & copies)
      continue;
    SmallVector<unsigned> registers = access.registersFrom(start);
    int64_t count = neighbours(places, registers), bytes = count * bytesOf(element);
    Value inside = access.isInside(start), source = access.pointer(start);
    if (bytes < leastCopy) {
      OpBuilder::InsertionGuard guard(b);
      if (condition)
        b.setInsertionPointToStart(scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false).thenBlock());
      SmallVector<Value> values = loadGlobal(source, element, access.width(), access.alignment(), inside, tiles);
      for (auto [reg, value] : llvm::zip_equal(registers, values))
        LLVM::StoreOp::create(b, loc, packVector(value, tiles), target(reg), bytesOf(element));
      continue;
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
