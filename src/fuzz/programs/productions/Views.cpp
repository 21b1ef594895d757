// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views of areas and the tiles they are loaded and stored by.
#include "fuzz/programs/productions/Views.h"

#include "fuzz/programs/productions/Productions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

// A tensor of that rank whose elements all lie in the area, no two in one place. Strides grow from an order of
// dimensions that is mostly that of rows.
void chooseTensor(Body &body, int64_t count, ViewPlace &place) {
  Random &random = body.random;
  size_t rank = place.tile.size();
  SmallVector<unsigned> order(llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, rank))));
  if (random.chance(30))
    for (size_t i = rank; i > 1; --i)
      std::swap(order[i - 1], order[random.below(i)]);
  for (unsigned attempt = 0;; ++attempt) {
    place.extents.assign(rank, 1);
    place.strides.assign(rank, 1);
    if (attempt < 12)
      for (size_t dim = 0; dim < rank; ++dim) {
        int64_t tile = place.tile[dim];
        place.extents[dim] = random.pick<int64_t>({tile, 2 * tile, 2 * tile - 1, tile + 1, 3 * tile + 1,
                                                   random.between(1, 2 * tile + 3), attempt < 6 ? 1 : tile});
      }
    int64_t stride = random.chance(80) ? 1 : 2, last = 0;
    for (unsigned dim : order) {
      place.strides[dim] = stride;
      last += stride * (place.extents[dim] - 1);
      stride = stride * place.extents[dim] + (random.chance(20) ? random.between(1, 3) : 0);
    }
    if (last < count)
      return;
  }
}

// How far apart neighbouring tiles are along each dimension of the tile, and along which of the tensor.
void chooseSteps(Body &body, ViewPlace &place) {
  size_t rank = place.tile.size();
  place.dimMap = llvm::to_vector(llvm::seq<int32_t>(0, rank));
  place.steps = place.tile;
  if (place.kind == ViewKind::GatherScatter) {
    place.sparse = body.random.below(rank);
    place.steps.assign(rank, 1);
    return;
  }
  if (body.random.chance(40))
    for (size_t i = rank; i > 1; --i)
      std::swap(place.dimMap[i - 1], place.dimMap[body.random.below(i)]);
  if (place.kind == ViewKind::Strided)
    for (int64_t &step : place.steps)
      step = body.random.pick<int64_t>({step, std::max<int64_t>(step / 2, 1), 1, step + 1});
}

NamedAttribute segments(Body &body, ArrayRef<int32_t> sizes) {
  return body.attribute("operandSegmentSizes", body.builder.getDenseI32ArrayAttr(sizes));
}

// The tensor view, some of its extents and strides known only when it runs.
Value makeTensor(Body &body, const Area &area, ViewPlace &place) {
  Shape shape(place.extents), strides(place.strides);
  SmallVector<Value> operands = {area.pointer};
  Element wide = body.random.pick<Element>({Element::I32, Element::I64, Element::I16});
  auto hideSome = [&](Shape &numbers) {
    int32_t hidden = 0;
    for (int64_t &number : numbers) {
      if (!body.random.chance(30))
        continue;
      operands.push_back(body.random.chance(50) ? body.argument(wide, number)
                                                : body.splat(body.tile({}, wide), number));
      number = ShapedType::kDynamic;
      ++hidden;
    }
    return hidden;
  };
  int32_t dynamicExtents = hideSome(shape), dynamicStrides = hideSome(strides);
  auto type = ct::TensorViewType::get(body.type(area.element), shape, strides);
  Value tensor = body.make("make_tensor_view", operands, type, segments(body, {1, dynamicExtents, dynamicStrides}));
  if (body.random.chance(20)) {
    SmallVector<Type> types(shape.size(),
                            body.tile({}, body.random.pick<Element>({Element::I16, Element::I32, Element::I64})));
    for (Value extent : body.op("get_tensor_shape", tensor, types)->getResults())
      body.keep(extent);
  }
  return tensor;
}

ct::PaddingValueAttr somePadding(Body &body, Element element) {
  using Padding = ct::PaddingValue;
  // Only formats that have the number can be padded by it.
  bool isIeee = setOf(element) & (floats | setOf(Element::TF32));
  auto padding =
      isIeee ? body.random.pick({Padding::zero, Padding::neg_zero, Padding::nan, Padding::pos_inf, Padding::neg_inf})
             : Padding::zero;
  return ct::PaddingValueAttr::get(body.context, padding);
}

Value makeTileView(Body &body, const Area &area, ViewPlace &place, Value tensor, bool needsPadding) {
  ct::PaddingValueAttr padding;
  if (needsPadding || body.random.chance(30))
    padding = somePadding(body, area.element);
  auto type = cast<ct::TensorViewType>(tensor.getType());
  SmallVector<int32_t> tile(place.tile.begin(), place.tile.end()), steps(place.steps.begin(), place.steps.end());
  switch (place.kind) {
  case ViewKind::Partition:
    return body.make("make_partition_view", tensor,
                     ct::PartitionViewType::get(body.context, tile, type, place.dimMap, padding));
  case ViewKind::Strided:
    return body.make("make_strided_view", tensor,
                     ct::StridedViewType::get(body.context, tile, steps, type, place.dimMap, padding));
  case ViewKind::GatherScatter:
    return body.make("make_gather_scatter_view", tensor,
                     ct::GatherScatterViewType::get(body.context, tile, type, place.sparse, padding));
  }
  llvm_unreachable("unknown kind of view");
}

// Indices along the sparse dimension, all inside; all different if something is stored.
Value sparseIndices(Body &body, ViewPlace &place, bool isStore) {
  int64_t count = place.tile[place.sparse], extent = place.extents[place.sparse];
  Element element = body.random.pick<Element>({Element::I32, Element::I64});
  ct::TileType row = body.tile(count, element);
  if (!isStore)
    return body.make("remi", {body.pick(row), body.splat(row, extent)}, row,
                     body.enumAttribute<ct::SignednessAttr>("signedness", ct::Signedness::Unsigned));
  int64_t mask = llvm::bit_floor<uint64_t>(extent) - 1;
  if (mask + 1 < count)
    return {};
  Value iota = body.make("iota", {}, row);
  Value mixed = body.binary("muli", iota, body.splat(row, 2 * body.random.between(0, 5) + 1));
  return body.binary("andi", body.binary("addi", mixed, body.splat(row, body.random.between(0, 20))),
                     body.splat(row, mask));
}

} // namespace

bool makeView(Body &body, const Area &area, bool isStore, ArrayRef<ViewKind> kinds, ViewPlace &place) {
  Random &random = body.random;
  place = {};
  place.kind = random.pick(kinds);
  place.tile = body.someShape();
  if (place.tile.empty())
    place.tile = {random.pick<int64_t>({1, 4, 8})};
  if (body.tile(place.tile, Element::I8).getNumElements() > 1024)
    return false;
  chooseTensor(body, area.count, place);
  chooseSteps(body, place);
  size_t rank = place.tile.size();

  // Where tiles may reach over the edge.
  SmallVector<bool> clips(rank);
  SmallVector<int64_t> spaces(rank);
  for (size_t i = 0; i < rank; ++i) {
    int64_t extent = place.extents[place.dimMap[i]];
    spaces[i] = llvm::divideCeil(extent, place.steps[i]);
    if (place.kind == ViewKind::GatherScatter && static_cast<int32_t>(i) != place.sparse && extent >= place.tile[i] &&
        random.chance(50))
      spaces[i] = extent - place.tile[i] + 1;
    clips[i] = (spaces[i] - 1) * place.steps[i] + place.tile[i] > extent;
    if (place.kind == ViewKind::GatherScatter && static_cast<int32_t>(i) == place.sparse)
      clips[i] = false;
  }
  bool needsPadding = !isStore && llvm::is_contained(clips, true);
  Value list;
  if (place.kind == ViewKind::GatherScatter) {
    list = sparseIndices(body, place, isStore);
    if (!list)
      return false;
  }
  place.view = makeTileView(body, area, place, makeTensor(body, area, place), needsPadding);
  if (place.kind != ViewKind::GatherScatter && random.chance(20)) {
    SmallVector<Type> types(rank, body.tile({}, random.pick<Element>({Element::I16, Element::I32, Element::I64})));
    for (Value extent : body.op("get_index_space_shape", place.view, types)->getResults())
      body.keep(extent);
  }
  bool isNarrow = llvm::all_of(spaces, [](int64_t space) { return space < 128; });
  Element wide = random.pick<Element>(
      {Element::I32, Element::I32, Element::I64, Element::I16, isNarrow ? Element::I8 : Element::I32});
  for (size_t i = 0; i < rank; ++i) {
    bool isSparse = place.kind == ViewKind::GatherScatter && static_cast<int32_t>(i) == place.sparse;
    place.index.push_back(isSparse ? list : body.index(wide, spaces[i]));
  }
  if (random.chance(30)) {
    for (bool clipped : clips)
      place.inbounds.push_back(!clipped && random.chance(70));
  }
  return true;
}

SmallVector<NamedAttribute> accessAttributes(Body &body, const ViewPlace &place, Body::Ordering ordering, bool isStore,
                                             bool hasToken) {
  SmallVector<int32_t> sizes = {1, static_cast<int32_t>(place.index.size()), hasToken ? 1 : 0};
  if (isStore)
    sizes.insert(sizes.begin(), 1);
  SmallVector<NamedAttribute> attributes = {
      body.enumAttribute<ct::MemoryOrderingSemanticsAttr>("memory_ordering_semantics", ordering.semantics),
      segments(body, sizes)};
  if (ordering.scope)
    attributes.push_back(body.enumAttribute<ct::MemoryScopeAttr>("memory_scope", *ordering.scope));
  if (!place.inbounds.empty())
    attributes.push_back(body.attribute("inbounds", body.builder.getDenseBoolArrayAttr(place.inbounds)));
  if (body.random.chance(15)) {
    SmallVector<NamedAttribute> hints;
    if (body.random.chance(60))
      hints.push_back(body.attribute("allow_tma", body.builder.getBoolAttr(body.random.chance(30))));
    if (hints.empty() || body.random.chance(50))
      hints.push_back(body.attribute("latency", body.builder.getI32IntegerAttr(body.random.between(1, 10))));
    NamedAttribute target = body.attribute("default", body.builder.getDictionaryAttr(hints));
    attributes.push_back(body.attribute(
        "optimization_hints", ct::OptimizationHintsAttr::get(body.context, body.builder.getDictionaryAttr(target))));
  }
  return attributes;
}

static constexpr ViewKind allKinds[] = {ViewKind::Partition, ViewKind::Partition, ViewKind::Strided,
                                        ViewKind::GatherScatter};

static bool writeLoad(Body &body) {
  Area *area = body.findArea(/*forWrite=*/false, 16);
  ViewPlace place;
  if (!area || !makeView(body, *area, /*isStore=*/false, allKinds, place))
    return false;
  SmallVector<Value> operands = {place.view};
  llvm::append_range(operands, place.index);
  Value token = body.tokenFor(*area, false);
  if (token)
    operands.push_back(token);
  Operation *load = body.op("load_view_tko", operands, {body.tile(place.tile, area->element), body.token()},
                            accessAttributes(body, place, body.someOrdering(false), false, token != nullptr));
  body.accessed(*area, load->getResult(1), false);
  body.keep(load->getResult(0));
  return true;
}

static bool writeStore(Body &body) {
  Area *area = body.findArea(/*forWrite=*/true, 16);
  ViewPlace place;
  if (!area || !makeView(body, *area, /*isStore=*/true, allKinds, place))
    return false;
  SmallVector<Value> operands = {body.pick(body.tile(place.tile, area->element)), place.view};
  llvm::append_range(operands, place.index);
  Value token = body.tokenFor(*area, true);
  if (token)
    operands.push_back(token);
  Value after = body.make("store_view_tko", operands, body.token(),
                          accessAttributes(body, place, body.someOrdering(true), true, token != nullptr));
  body.accessed(*area, after, true);
  return true;
}

void addViews(Productions &productions) {
  productions.push_back({"load_view_tko", 10, writeLoad});
  productions.push_back({"store_view_tko", 8, writeStore});
}

} // namespace tilewright::programs
