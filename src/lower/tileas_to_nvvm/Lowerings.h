// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per operation on tiles: it gives the result its registers. A failure has been reported.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_LOWERINGS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_LOWERINGS_H

#include "lower/tileas_to_nvvm/TileRegisters.h"

namespace tilewright {

mlir::LogicalResult lowerConstant(mlir::arith::ConstantOp constant, TileRegisters &tiles);
/// Any operation that works on each element alone.
mlir::LogicalResult lowerElementwise(mlir::Operation *op, TileRegisters &tiles);

mlir::LogicalResult lowerIota(tileaa::IotaOp iota, TileRegisters &tiles);
mlir::LogicalResult lowerBroadcast(tileaa::BroadcastOp broadcast, TileRegisters &tiles);
mlir::LogicalResult lowerReshape(tileaa::ReshapeOp reshape, TileRegisters &tiles);
mlir::LogicalResult lowerPermute(tileaa::PermuteOp permute, TileRegisters &tiles);
mlir::LogicalResult lowerSplitWarps(tileas::SplitWarpsOp split, TileRegisters &tiles);
mlir::LogicalResult lowerConvertLayout(tileas::ConvertLayoutOp convert, TileRegisters &tiles);

mlir::LogicalResult lowerLoadView(tileaa::LoadViewOp load, TileRegisters &tiles);
mlir::LogicalResult lowerStoreView(tileaa::StoreViewOp store, TileRegisters &tiles);
mlir::LogicalResult lowerLoadPtr(tileaa::LoadPtrOp load, TileRegisters &tiles);
mlir::LogicalResult lowerStorePtr(tileaa::StorePtrOp store, TileRegisters &tiles);
mlir::LogicalResult lowerOrderedLoad(tileaa::LoadPtrOp load, TileRegisters &tiles);
mlir::LogicalResult lowerOrderedStore(tileaa::StorePtrOp store, TileRegisters &tiles);
mlir::LogicalResult lowerAtomicRmw(tileaa::AtomicRmwOp atomic, TileRegisters &tiles);
mlir::LogicalResult lowerAtomicCas(tileaa::AtomicCasOp atomic, TileRegisters &tiles);

mlir::LogicalResult lowerAlloca(tileaa::AllocaOp alloca, TileRegisters &tiles);
void lowerGetGlobal(tileaa::GetGlobalOp get, TileRegisters &tiles);
void lowerFence(tileaa::FenceOp fence, TileRegisters &tiles);
/// Globals of the program, after all that asks for their addresses.
void lowerGlobals(mlir::ModuleOp module);

void lowerMakeView(tileaa::MakeViewOp make, TileRegisters &tiles);
void lowerViewBase(tileaa::ViewBaseOp base, TileRegisters &tiles);
void lowerViewDim(tileaa::ViewDimOp dim, TileRegisters &tiles);
void lowerViewStride(tileaa::ViewStrideOp stride, TileRegisters &tiles);

mlir::LogicalResult lowerAlloc(tileas::AllocOp alloc, TileRegisters &tiles);
mlir::LogicalResult lowerWrite(tileas::WriteOp write, TileRegisters &tiles);
mlir::LogicalResult lowerRead(tileas::ReadOp read, TileRegisters &tiles);

void lowerAsyncLoad(tileas::AsyncLoadOp load, TileRegisters &tiles);
/// `stage` is the one that is filled.
void lowerAsyncLoadPtr(tileas::AsyncLoadPtrOp load, mlir::Value stage, TileRegisters &tiles);
void lowerAsyncCommit(tileas::AsyncCommitOp commit, TileRegisters &tiles);
void lowerAsyncWait(tileas::AsyncWaitOp wait, TileRegisters &tiles);
void lowerStage(tileas::StageOp stage, TileRegisters &tiles);

mlir::LogicalResult lowerMma(tileas::MmaOp mma, TileRegisters &tiles);
mlir::LogicalResult lowerScaledMma(tileas::ScaledMmaOp mma, TileRegisters &tiles);

/// Where prints and failed asserts go: to our host buffer where a launcher has set it, and where none has nowhere, or
/// to the driver's vprintf.
enum class PrintChannel { HostBuffer, HostBufferOrDriver };
void lowerPrint(tileaa::PrintOp print, TileRegisters &tiles, PrintChannel channel);
void lowerAssert(tileaa::AssertOp assertion, TileRegisters &tiles, PrintChannel channel);

mlir::LogicalResult lowerReduce(tileaa::ReduceOp reduce, TileRegisters &tiles);

/// Products of the atom wgmma.
mlir::LogicalResult lowerWgmma(tileas::MmaOp mma, TileRegisters &tiles);
mlir::LogicalResult lowerMmaWait(tileas::MmaWaitOp wait, TileRegisters &tiles);
/// The maps are pointers from then on.
mlir::LogicalResult lowerWriteTmaDescs(tileas::WriteTmaDescsOp write, TileRegisters &tiles);
mlir::LogicalResult lowerReleaseTmaDescs(tileas::ReleaseTmaDescsOp release, TileRegisters &tiles);
mlir::LogicalResult lowerTmaStore(tileas::TmaStoreOp store, TileRegisters &tiles);
mlir::LogicalResult lowerTmaStoreWait(tileas::TmaStoreWaitOp wait, TileRegisters &tiles);

/// Two partial results, each a value for every source, combined by the body of a reduction or scan.
llvm::SmallVector<mlir::Value> combineInBody(mlir::Block &body, llvm::ArrayRef<mlir::Value> before,
                                             llvm::ArrayRef<mlir::Value> values, TileRegisters &tiles);
mlir::LogicalResult lowerScan(tileaa::ScanOp scan, TileRegisters &tiles);

mlir::LogicalResult lowerCat(tileaa::CatOp cat, TileRegisters &tiles);
mlir::LogicalResult lowerExtract(tileaa::ExtractOp extract, TileRegisters &tiles);
mlir::LogicalResult lowerInsert(tileaa::InsertOp insert, TileRegisters &tiles);

/// The registers of a tile that has `result`'s elements where its registers have `source`'s: each register of the
/// result is one of the source's of the same thread. Nothing where a thread lacks one.
std::optional<llvm::SmallVector<mlir::Value>> pickRegisters(llvm::ArrayRef<mlir::Value> registers,
                                                            const layout::LinearLayout &source,
                                                            const layout::LinearLayout &result);

} // namespace tilewright

#endif
