// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/TypeTable.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

template <unsigned width> static bool isInteger(Type type) {
  return type.isSignlessInteger(width);
}
template <unsigned width> static Type getInteger(MLIRContext *context) {
  return IntegerType::get(context, width);
}
template <typename TypeT> static bool isType(Type type) {
  return isa<TypeT>(type);
}
template <typename TypeT> static Type getType(MLIRContext *context) {
  return TypeT::get(context);
}
template <typename TypeT>
static constexpr TypeRecord simple(TypeTag tag, llvm::StringLiteral name, llvm::StringLiteral since) {
  return {tag, name, since, isType<TypeT>, getType<TypeT>};
}
template <typename TypeT>
static constexpr TypeRecord composite(TypeTag tag, llvm::StringLiteral name, llvm::StringLiteral since) {
  return {tag, name, since, isType<TypeT>, nullptr};
}
template <unsigned width>
static constexpr TypeRecord integer(TypeTag tag, llvm::StringLiteral name, llvm::StringLiteral since = "13.1") {
  return {tag, name, since, isInteger<width>, getInteger<width>};
}

static constexpr TypeRecord records[] = {
    integer<1>(I1, "i1"),
    integer<8>(I8, "i8"),
    integer<16>(I16, "i16"),
    integer<32>(I32, "i32"),
    integer<64>(I64, "i64"),
    simple<Float16Type>(F16, "f16", "13.1"),
    simple<BFloat16Type>(BF16, "bf16", "13.1"),
    simple<Float32Type>(F32, "f32", "13.1"),
    simple<FloatTF32Type>(TF32, "tf32", "13.1"),
    simple<Float64Type>(F64, "f64", "13.1"),
    simple<Float8E4M3FNType>(F8E4M3FN, "f8E4M3FN", "13.1"),
    simple<Float8E5M2Type>(F8E5M2, "f8E5M2", "13.1"),
    composite<PtrType>(Ptr, "ptr", "13.1"),
    composite<TileType>(Tile, "tile", "13.1"),
    composite<TensorViewType>(TensorView, "tensor_view", "13.1"),
    composite<PartitionViewType>(PartitionView, "partition_view", "13.1"),
    composite<FunctionType>(Function, "function", "13.1"),
    simple<TokenType>(Token, "token", "13.1"),
    simple<Float8E8M0FNUType>(F8E8M0FNU, "f8E8M0FNU", "13.2"),
    simple<Float4E2M1FNType>(F4E2M1FN, "f4E2M1FN", "13.3"),
    composite<GatherScatterViewType>(GatherScatterView, "gather_scatter_view", "13.3"),
    composite<StridedViewType>(StridedView, "strided_view", "13.3"),
    integer<4>(I4, "i4", "13.3"),
    simple<F8E5M3FNUType>(F8E5M3FNU, "fnv8E5M3FNU", "13.4"),
};

llvm::ArrayRef<TypeRecord> tilewright::cuda_tile::getTypeRecords() {
  return records;
}

const TypeRecord *tilewright::cuda_tile::lookupTypeByTag(uint64_t tag) {
  const auto *found = llvm::find_if(records, [&](const TypeRecord &record) { return record.tag == tag; });
  return found == std::end(records) ? nullptr : found;
}

const TypeRecord *tilewright::cuda_tile::lookupType(Type type) {
  const auto *found = llvm::find_if(records, [&](const TypeRecord &record) { return record.isa(type); });
  return found == std::end(records) ? nullptr : found;
}

std::string tilewright::cuda_tile::describeType(Type type) {
  if (isa<FunctionType>(type)) {
    return "a function type";
  }
  std::string text;
  llvm::raw_string_ostream(text) << '\'' << type << '\'';
  return text;
}
