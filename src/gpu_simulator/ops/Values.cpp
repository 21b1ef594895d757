// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants, the grid, views, and operations that assert facts and have no effect.
#include "gpu_simulator/TileBlock.h"
#include "gpu_simulator/ops/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

namespace {

Bits bitsOf(Attribute number) {
  if (auto integer = dyn_cast<IntegerAttr>(number))
    return integer.getValue().getZExtValue();
  return cast<FloatAttr>(number).getValue().bitcastToAPInt().getZExtValue();
}

void constant(arith::ConstantOp op, Actor &actor) {
  Tile &known = actor.kernel.constantFor(op, actor.group);
  if (!known.bits) {
    Element element = elementOfType(op.getType());
    const Holding *holding = actor.holdingOf(op.getType());
    if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue())) {
      std::vector<Bits> bits;
      if (elements.isSplat()) {
        bits.assign(holding->size(), bitsOf(elements.getSplatValue<Attribute>()));
      } else {
        auto all = elements.getValues<Attribute>();
        for (uint32_t number : holding->elements)
          bits.push_back(bitsOf(all[number]));
      }
      known = Tile(element, holding, std::move(bits));
    } else {
      known = Tile::scalar(element, bitsOf(op.getValue()));
    }
  }
  actor.set(op.getResult(), known);
}

template <typename Op> void setGrid(Op op, Actor &actor, const std::array<int64_t, 3> &numbers) {
  for (auto [result, number] : llvm::zip_equal(op->getResults(), numbers))
    actor.set(result, Tile::scalar(Element::I32, static_cast<uint32_t>(number)));
}

llvm::SmallVector<int64_t, 4> fill(llvm::ArrayRef<int64_t> known, ValueRange dynamic, Actor &actor) {
  llvm::SmallVector<int64_t, 4> numbers;
  for (int64_t number : known) {
    numbers.push_back(ShapedType::isDynamic(number) ? actor.integer(dynamic.front()) : number);
    if (ShapedType::isDynamic(number))
      dynamic = dynamic.drop_front();
  }
  return numbers;
}

void makeView(tileaa::MakeViewOp op, Actor &actor) {
  tileaa::ViewType type = op.getResult().getType();
  actor.set(op.getResult(), View{actor.tile(op.getBase()).bits->front(), elementOfType(type.getElementType()),
                                 fill(type.getShape(), op.getDynamicShape(), actor),
                                 fill(type.getStrides(), op.getDynamicStrides(), actor)});
}

Tile indexOf(int64_t number) {
  return Tile::scalar(Element::I64, number);
}

} // namespace

void simulator::registerValueOps(HandlerTable &table) {
  table.on<arith::ConstantOp>(constant);
  table.on<ub::PoisonOp>([](ub::PoisonOp op, Actor &actor) {
    if (isa<IntegerType, FloatType, IndexType, RankedTensorType>(op.getType())) {
      const Holding *holding = actor.holdingOf(op.getType());
      actor.set(op.getResult(),
                Tile(elementOfType(op.getType()), holding, std::vector<Bits>(holding ? holding->size() : 1)));
    }
  });
  table.on<tileaa::MakeTokenOp>([](tileaa::MakeTokenOp, Actor &) {});
  table.on<tileaa::JoinTokensOp>([](tileaa::JoinTokensOp, Actor &) {});
  table.on<tileaa::AssumeDivByOp>(
      [](tileaa::AssumeDivByOp op, Actor &actor) { actor.set(op.getResult(), actor.get(op.getValue())); });
  table.on<tileaa::BlockIdOp>([](tileaa::BlockIdOp op, Actor &actor) { setGrid(op, actor, actor.block.index); });
  table.on<tileaa::NumBlocksOp>(
      [](tileaa::NumBlocksOp op, Actor &actor) { setGrid(op, actor, actor.block.launch.grid); });
  table.on<tileaa::MakeViewOp>(makeView);
  table.on<tileaa::ViewDimOp>([](tileaa::ViewDimOp op, Actor &actor) {
    actor.set(op.getResult(), indexOf(std::get<View>(actor.get(op.getView())).shape[op.getDim()]));
  });
  table.on<tileaa::ViewStrideOp>([](tileaa::ViewStrideOp op, Actor &actor) {
    actor.set(op.getResult(), indexOf(std::get<View>(actor.get(op.getView())).strides[op.getDim()]));
  });
  table.on<tileaa::ViewBaseOp>([](tileaa::ViewBaseOp op, Actor &actor) {
    actor.set(op.getResult(), Tile::scalar(Element::I64, std::get<View>(actor.get(op.getView())).base));
  });
  table.on<tileas::MultiprocessorsOp>([](tileas::MultiprocessorsOp op, Actor &actor) {
    actor.set(op.getCount(), Tile::scalar(Element::I32, multiprocessors));
  });
  // A simulated launch has no times.
  table.on<tileas::BeginRecordsOp>([](tileas::BeginRecordsOp, Actor &) {});
  table.on<tileas::RecordOp>([](tileas::RecordOp, Actor &) {});
  table.on<tileas::EndRecordsOp>([](tileas::EndRecordsOp, Actor &) {});
  table.on<tileas::ClusterOp>([](tileas::ClusterOp op, Actor &actor) {
    int64_t blocks = actor.kernel.cluster, x = actor.block.index[0];
    setGrid(op, actor, {x / blocks, actor.block.launch.grid[0] / blocks, x % blocks});
  });
  // Tensor maps are values here, wherever they are written.
  table.on<tileas::WriteTmaDescsOp>([](tileas::WriteTmaDescsOp op, Actor &actor) {
    for (auto [number, view] : llvm::enumerate(op.getViews())) {
      tileas::TensorMapAttr fields = op.getMap(number);
      TensorMap map{std::get<View>(actor.get(view)), {}, fields.getSwizzle()};
      map.array.element = elementOfType(fields.getElement());
      llvm::append_range(map.box, fields.getBox());
      actor.set(op.getDescs()[number], map);
    }
  });
  table.on<tileas::ReleaseTmaDescsOp>([](tileas::ReleaseTmaDescsOp, Actor &) {});
  table.on<tileas::MakeTmaDescOp>([](tileas::MakeTmaDescOp op, Actor &actor) {
    TensorMap map{std::get<View>(actor.get(op.getView())), {}, static_cast<int64_t>(op.getSwizzle())};
    if (op.getFormat())
      map.array.element = elementOfType(*op.getFormat());
    llvm::append_range(map.box, op.getBox());
    actor.set(op.getDesc(), map);
  });
}
