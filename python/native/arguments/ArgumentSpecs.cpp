// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front end's records of arguments; only when a new specialization is compiled.
#include "Arguments.h"

#include "ArraySources.h"

namespace nb = nanobind;

namespace tilewright::python {

namespace {

// Walks an argument tree in reading order.
class SpecMaker {
public:
  explicit SpecMaker(const ArgumentList &list)
      : list(list), records(nb::module_::import_("tilewright._frontend.signature")),
        dtypes(nb::module_::import_("tilewright.dtypes")) {}

  nb::object make(const Parameter &p, nb::handle value) {
    if (!p.constant && PyTuple_Check(value.ptr()) && !isEnum(value.ptr())) {
      nb::list items;
      for (size_t i = 0, size = nb::len(value); i < size; ++i)
        items.append(make(p.item(i) ? *p.item(i) : p, value[i]));
      return records.attr("TupleSpec")(nb::tuple(items));
    }
    if (!p.constant && nb::hasattr(value.type(), "__dataclass_fields__")) {
      nb::list fields;
      for (const std::string &field : fieldNames(value.type()))
        fields.append(make(p, value.attr(field.c_str())));
      return records.attr("DataclassSpec")(value.type(), nb::tuple(fields));
    }
    const ArgumentList::Leaf &leaf = list.leaves[next++];
    switch (leaf.kind) {
    case ArgumentList::Leaf::Constant:
      return records.attr("ConstantSpec")(nb::handle(leaf.constant));
    case ArgumentList::Leaf::Scalar:
      return records.attr("ScalarSpec")(dtype(leaf.dtype));
    case ArgumentList::Leaf::Array:
      return makeArray(p, list.arrays[leaf.index], specOf(list.arrays[leaf.index]), leaf.index, leaf.index);
    case ArgumentList::Leaf::List: {
      const ListValue &record = list.lists[leaf.index];
      const Parameter &element = p.element.empty() ? p : p.element.front();
      return records.attr("ListSpec")(makeArray(element,
                                                llvm::ArrayRef(list.listArrays).slice(record.first, record.count),
                                                record.spec, list.arrays.size() + leaf.index));
    }
    }
    llvm_unreachable("all kinds are listed");
  }

private:
  nb::object dtype(DTypeId id) { return dtypes.attr(dtypeTable()[id].name); }

  // One array, or all of a list. `holder` is the array or list as ArgumentList::listGroups counts them, `number` that
  // of an array.
  nb::object makeArray(const Parameter &p, llvm::ArrayRef<ArrayValue> arrays, ArraySpec spec, size_t holder,
                       std::optional<size_t> number = std::nullopt) {
    const ArrayValue &array = arrays.front();
    nb::list staticStrides, strideDivisor, shapeDivisor, staticShape;
    auto isAnnotated = [&](llvm::ArrayRef<int> axes, int axis) {
      return llvm::is_contained(axes, axis) || llvm::is_contained(axes, axis - array.rank);
    };
    auto known = [](bool is, int64_t value) { return is ? nb::object(nb::int_(value)) : nb::object(nb::none()); };
    for (int axis = 0; axis < array.rank; ++axis) {
      bool isStatic = spec.has(ArraySpec::UnitStride, axis) || isAnnotated(p.staticStrideAxes, axis);
      staticStrides.append(known(isStatic, array.strides[axis]));
      bool isDivisible = !isStatic && spec.has(ArraySpec::DivisibleStride, axis);
      strideDivisor.append(isDivisible ? 16 / array.elementBytes() : 1);
      shapeDivisor.append(spec.has(ArraySpec::DivisibleExtent, axis) ? 16 : 1);
      staticShape.append(
          known(spec.has(ArraySpec::UnitExtent, axis) || isAnnotated(p.staticShapeAxes, axis), array.shape[axis]));
    }
    nb::dict fields;
    fields["dtype"] = dtype(array.dtype);
    fields["ndim"] = array.rank;
    fields["index_dtype"] = dtypes.attr(p.indexBits == 64 ? "int64" : "int32");
    fields["static_strides"] = nb::tuple(staticStrides);
    fields["base_divisible_by"] = spec.isAligned() ? 16 : 1;
    fields["stride_divisible_by"] = nb::tuple(strideDivisor);
    fields["shape_divisible_by"] = nb::tuple(shapeDivisor);
    fields["static_shape"] = nb::tuple(staticShape);
    fields["may_alias_internally"] =
        llvm::any_of(arrays, [](const ArrayValue &each) { return each.mayOverlapItself(); });
    if (number && !list.firstSame.empty() && list.firstSame[*number] != *number)
      fields["same_as"] = list.firstSame[*number];
    if (number && !list.firstLike.empty() && list.firstLike[*number] != *number)
      fields["like"] = list.firstLike[*number];
    for (const ArgumentList::Neighbour &neighbour : list.neighbours)
      if (number == neighbour.array)
        fields["behind"] = nb::make_tuple(neighbour.of, neighbour.elements);
    if (!list.listGroups.empty() && list.listGroups[holder])
      fields["alias_groups"] = nb::make_tuple("same " + std::to_string(list.listGroups[holder]));
    return records.attr("ArraySpec")(**fields);
  }

  const ArgumentList &list;
  nb::module_ records, dtypes;
  size_t next = 0;
};

nb::object argumentAt(llvm::ArrayRef<Parameter> parameters, PyObject *args, size_t index) {
  nb::handle list(args);
  return index < nb::len(list) ? nb::object(list[index]) : parameters[index].defaultValue;
}

bool isTree(nb::handle value) {
  return (PyTuple_Check(value.ptr()) && !isEnum(value.ptr())) || nb::hasattr(value.type(), "__dataclass_fields__");
}

nb::object memberAt(nb::handle tree, size_t index) {
  if (PyTuple_Check(tree.ptr()))
    return tree[index];
  return tree.attr(fieldNames(tree.type())[index].c_str());
}

size_t numMembers(nb::handle tree) {
  return PyTuple_Check(tree.ptr()) ? nb::len(tree) : fieldNames(tree.type()).size();
}

size_t countLeaves(bool constant, nb::handle value) {
  if (constant || !isTree(value))
    return 1;
  size_t count = 0;
  for (size_t i = 0, size = numMembers(value); i < size; ++i)
    count += countLeaves(false, memberAt(value, i));
  return count;
}

} // namespace

nb::tuple makeSpecs(const ArgumentList &list, llvm::ArrayRef<Parameter> parameters, PyObject *args) {
  SpecMaker maker(list);
  nb::list specs;
  for (auto [i, parameter] : llvm::enumerate(parameters))
    specs.append(maker.make(parameter, argumentAt(parameters, args, i)));
  return nb::tuple(specs);
}

nb::tuple makeBucket(const ArgumentList &list, llvm::ArrayRef<Parameter> parameters, PyObject *args) {
  nb::list bucket;
  size_t next = 0;
  for (auto [i, parameter] : llvm::enumerate(parameters))
    for (size_t count = countLeaves(parameter.constant, argumentAt(parameters, args, i)); count; --count) {
      nb::list numbers;
      for (uint64_t number : bucketOf(list, list.leaves[next++]))
        numbers.append(number);
      if (nb::len(numbers))
        bucket.append(nb::make_tuple(parameter.name, nb::tuple(numbers)));
    }
  return nb::tuple(bucket);
}

size_t leafAtPath(llvm::ArrayRef<Parameter> parameters, PyObject *args, nb::tuple path) {
  size_t argument = nb::cast<size_t>(path[0]);
  size_t leaf = 0;
  for (size_t i = 0; i < argument; ++i)
    leaf += countLeaves(parameters[i].constant, argumentAt(parameters, args, i));
  nb::object value = argumentAt(parameters, args, argument);
  for (size_t depth = 1; depth < nb::len(path); ++depth) {
    size_t member = nb::cast<size_t>(path[depth]);
    for (size_t i = 0; i < member; ++i)
      leaf += countLeaves(false, memberAt(value, i));
    value = memberAt(value, member);
  }
  return leaf;
}

} // namespace tilewright::python
