// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the arguments of a launch, one tree after the other.
#include "ArgumentKey.h"
#include "Arguments.h"
#include "ArraySources.h"
#include "ScalarBits.h"

#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

DTypeId idOf(const char *name) {
  return *dtypeByName(name);
}

bool isFrozenDataclass(nb::handle type) {
  nb::object parameters = nb::getattr(type, "__dataclass_params__", nb::none());
  return !parameters.is_none() && nb::cast<bool>(parameters.attr("frozen"));
}

std::string typeName(nb::handle value) {
  std::string module = nb::cast<std::string>(nb::getattr(value.type(), "__module__", nb::str("")));
  std::string name = nb::cast<std::string>(value.type().attr("__qualname__"));
  return module.empty() || module == "builtins" ? name : module + "." + name;
}

} // namespace

// Reads one argument tree into the list.
class Reader {
public:
  Reader(ArgumentList &list, const std::string &kernel) : list(list), kernel(kernel) {}

  void read(const Parameter &parameter, PyObject *value) {
    this->parameter = &parameter;
    suffix.clear();
    readValue(parameter, value);
  }

private:
  [[noreturn]] void fail(PyObject *type, const std::string &what) {
    raise(type, kernel + ": argument '" + parameter->name + suffix + "' " + what);
  }

  void readValue(const Parameter &p, PyObject *value) {
    if (p.constant)
      return readConstant(p, value);
    if (PyList_Check(value))
      return readList(p, value);
    if (!p.element.empty())
      fail(PyExc_TypeError, "is a " + typeName(value) + ", expected a list of arrays");
    PyTypeObject *type = Py_TYPE(value);
    if (type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type)
      return readNumber(p, value);
    if (ArraySource &source = findArraySource(type); source.read)
      return readArray(p, value, source);
    if (PyTuple_CheckExact(value))
      return readTuple(p, value);
    readOther(p, value);
  }

  // -- arrays

  void readFrom(ArraySource &source, PyObject *value, ArrayValue &array) {
    ArrayProblem problem = source.read(source, value, array, list.keepAlive);
    if (!problem.kind && source.mayNegate)
      problem = checkLazyBits(value, array);
    if (problem.kind)
      fail(problem.kind, problem.text);
    notePlace(array, source);
  }

  void readArray(const Parameter &p, PyObject *value, ArraySource &source) {
    ArrayValue &array = list.arrays.emplace_back();
    readFrom(source, value, array);
    list.arrayNames.push_back(parameter->name.c_str());
    list.leaves.push_back(
        {ArgumentList::Leaf::Array, static_cast<uint16_t>(list.arrays.size() - 1), array.dtype, nullptr});

    check(p, array);
    list.keyWords.push_back(TagArray | specOf(array).word);
    addAnnotatedLengths(p, array);
  }

  // A launch has its arrays in one place.
  void notePlace(const ArrayValue &array, const ArraySource &source) {
    if (array.device == onAnyGpu)
      return;
    if (!placeName) {
      list.device = array.device;
      if (array.device != inHostMemory)
        list.framework = &source;
      placeName = parameter->name.c_str();
    } else if (array.device != list.device) {
      fail(PyExc_ValueError, "is " + place(array.device) + ", argument '" + placeName + "' is " + place(list.device) +
                                 ", expected all arrays in one place; copy it there");
    }
  }

  static std::string place(int device) {
    return device == inHostMemory ? "in host memory" : "on GPU " + std::to_string(device);
  }

  // Whether the kernel can have the array at all.
  void check(const Parameter &p, ArrayValue &array) {
    if (reinterpret_cast<uint64_t>(array.data) % array.elementBytes() && array.rank) // vector loads rely on it
      fail(PyExc_ValueError, "starts at an address that is no multiple of its element size; copy it first");
    int64_t limit = p.indexBits == 32 ? INT32_MAX : INT64_MAX;
    for (int axis = 0; axis < array.rank; ++axis) {
      int64_t length = array.shape[axis], &stride = array.strides[axis];
      if (stride < 0 && length <= 1)
        stride = 0; // never used; the compiler relies on its sign
      if (stride < 0)
        fail(PyExc_ValueError, "has stride " + std::to_string(stride) + " on axis " + std::to_string(axis) +
                                   ", expected no negative stride; copy it first");
      if (length > limit || stride > limit)
        fail(PyExc_OverflowError, "has length " + std::to_string(length) + " and stride " + std::to_string(stride) +
                                      " on axis " + std::to_string(axis) +
                                      ", expected at most 2**31 - 1; annotate the parameter with IndexedWithInt64");
    }
  }

  void addAnnotatedLengths(const Parameter &p, const ArrayValue &array) {
    for (int axis : p.staticShapeAxes)
      list.keyWords.push_back(array.shape[annotatedAxis(axis, array.rank)]);
    for (int axis : p.staticStrideAxes)
      list.keyWords.push_back(array.strides[annotatedAxis(axis, array.rank)]);
  }

  int annotatedAxis(int axis, int rank) {
    if (axis < -rank || axis >= rank)
      fail(PyExc_TypeError,
           "has " + std::to_string(rank) + " axes, but its annotation fixes axis " + std::to_string(axis));
    return axis < 0 ? axis + rank : axis;
  }

  // -- lists

  void readList(const Parameter &p, PyObject *value) {
    const Parameter &element = p.element.empty() ? p : p.element.front();
    Py_ssize_t count = NB_LIST_GET_SIZE(value);
    if (count == 0)
      fail(PyExc_ValueError, "is an empty list, expected one array or more");
    ListValue &record = list.lists.emplace_back();
    record.first = list.listArrays.size();
    record.table = list.tables.size();
    list.listNames.push_back(parameter->name.c_str());
    list.leaves.push_back({ArgumentList::Leaf::List, static_cast<uint16_t>(list.lists.size() - 1), 0, nullptr});
    for (Py_ssize_t i = 0; i < NB_LIST_GET_SIZE(value); ++i) {
      // The list may change while an array is read, or another thread runs.
      list.keepAlive.push_back(nb::borrow(NB_LIST_GET_ITEM(value, i)));
      nb::object item = list.keepAlive.back();
      size_t length = suffix.size();
      suffix += "[" + std::to_string(i) + "]";
      readElement(element, item.ptr(), record);
      suffix.resize(length);
    }
    record.count = list.listArrays.size() - record.first;
    list.keyWords.push_back(TagList | record.spec.word);
    addAnnotatedLengths(element, list.listArrays[record.first]);
  }

  void readElement(const Parameter &p, PyObject *value, ListValue &record) {
    ArraySource *source = &findArraySource(Py_TYPE(value));
    if (!source->read)
      source = findInstanceSource(value);
    if (!source)
      fail(PyExc_TypeError, "is a " + typeName(value) + ", expected a list of arrays, all of one dtype and rank");
    ArrayValue &array = list.listArrays.emplace_back();
    readFrom(*source, value, array);
    check(p, array);

    ArraySpec spec = specOf(array);
    const ArrayValue &first = list.listArrays[record.first];
    if (first.dtype != array.dtype || first.rank != array.rank)
      fail(PyExc_TypeError, "is " + describe(array) + ", expected " + describe(first) +
                                " like the first of its list: all are of one dtype and rank");
    record.spec.word =
        &first == &array ? spec.word : record.spec.word & spec.word | ArraySpec::ofType(array.dtype, array.rank);
    for (int axis : p.staticShapeAxes)
      expectEqual("length", annotatedAxis(axis, array.rank), array.shape, first.shape);
    for (int axis : p.staticStrideAxes)
      expectEqual("stride", annotatedAxis(axis, array.rank), array.strides, first.strides);

    list.tables.push_back(reinterpret_cast<int64_t>(array.data));
    list.tables.insert(list.tables.end(), array.shape, array.shape + array.rank);
    list.tables.insert(list.tables.end(), array.strides, array.strides + array.rank);
  }

  static std::string describe(const ArrayValue &array) {
    return "an array of " + std::string(dtypeTable()[array.dtype].name) + " with " + std::to_string(array.rank) +
           (array.rank == 1 ? " axis" : " axes");
  }

  void expectEqual(const char *what, int axis, const int64_t *found, const int64_t *expected) {
    if (found[axis] != expected[axis])
      fail(PyExc_ValueError, std::string("has ") + what + " " + std::to_string(found[axis]) + " on axis " +
                                 std::to_string(axis) + ", expected " + std::to_string(expected[axis]) +
                                 " like the first of its list: the annotation fixes it");
  }

  // -- numbers

  void readNumber(const Parameter &p, PyObject *value) {
    static const DTypeId boolean = idOf("bool_"), int32 = idOf("int32"), float32 = idOf("float32");
    DTypeId dtype = p.scalarDType          ? *p.scalarDType
                    : PyBool_Check(value)  ? boolean
                    : PyFloat_Check(value) ? float32
                                           : int32;
    const DTypeInfo &info = dtypeTable()[dtype];
    if (isFloat(info))
      return addScalar(dtype, floatBits(info, value));
    if (PyFloat_Check(value))
      fail(PyExc_TypeError, std::string("is a float, expected ") + info.name);
    if (info.dlpackCode > 1 && dtype != boolean)
      fail(PyExc_TypeError, std::string("cannot be passed as ") + info.name);
    std::optional<uint64_t> bits = integerBits(info, value);
    if (!bits)
      fail(PyExc_OverflowError, "is " + nb::cast<std::string>(nb::str(nb::handle(value))) + ", which does not fit " +
                                    info.name + (dtype == int32 ? "; annotate the parameter with ScalarInt64" : ""));
    addScalar(dtype, *bits);
  }

  void addScalar(DTypeId dtype, uint64_t bits) {
    list.scalars.push_back(bits);
    list.leaves.push_back({ArgumentList::Leaf::Scalar, static_cast<uint16_t>(list.scalars.size() - 1), dtype, nullptr});
    list.keyWords.push_back(TagScalar | uint64_t(dtype) << 4);
  }

  // -- constants

  void readConstant(const Parameter &p, PyObject *value) {
    if (!p.constantType.is_none() && !PyObject_IsInstance(value, p.constantType.ptr())) {
      // numpy.int64(128) for a Constant[int], 2 for a Constant[float]
      nb::object converted;
      if (p.constantType.ptr() == reinterpret_cast<PyObject *>(&PyLong_Type) && PyIndex_Check(value))
        converted = nb::steal(PyNumber_Index(value));
      else if (p.constantType.ptr() == reinterpret_cast<PyObject *>(&PyFloat_Type) &&
               (PyIndex_Check(value) || PyType_GetSlot(Py_TYPE(value), Py_nb_float)))
        converted = nb::steal(PyNumber_Float(value));
      PyErr_Clear();
      if (!converted.is_valid())
        fail(PyExc_TypeError, "is a constant of type " + typeName(value) + ", expected " +
                                  nb::cast<std::string>(p.constantType.attr("__name__")));
      list.keepAlive.push_back(converted);
      value = converted.ptr();
    }
    addConstant(value);
  }

  void addConstant(PyObject *value) {
    list.leaves.push_back({ArgumentList::Leaf::Constant, 0, 0, value});
    try {
      appendConstant(list.keyWords, value);
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_TypeError))
        throw;
      fail(PyExc_TypeError, "is a constant, found an unhashable " + typeName(value));
    }
  }

  // -- trees

  void readTuple(const Parameter &p, PyObject *value) {
    Py_ssize_t size = NB_TUPLE_GET_SIZE(value);
    if (!p.items.empty() && p.items.size() != static_cast<size_t>(size))
      fail(PyExc_TypeError, "has " + std::to_string(size) + " items, expected " + std::to_string(p.items.size()));
    list.keyWords.push_back(TagTuple | uint64_t(size) << 4);
    for (Py_ssize_t i = 0; i < size; ++i) {
      const Parameter *item = p.item(i);
      readMember(item ? *item : anything(), NB_TUPLE_GET_ITEM(value, i), "[" + std::to_string(i) + "]");
    }
  }

  void readMember(const Parameter &p, PyObject *value, const std::string &step) {
    size_t length = suffix.size();
    suffix += step;
    readValue(p, value);
    suffix.resize(length);
  }

  static const Parameter &anything();

  // -- the rest, slowly

  void readOther(const Parameter &p, PyObject *value) {
    if (isNumpyScalar(value) && !PyFloat_Check(value)) { // numpy.float64 is a Python float, too
      nb::object array = numpyArrayOf(value);
      ArrayValue element;
      ArraySource &source = findArraySource(Py_TYPE(array.ptr()));
      llvm::SmallVector<nb::object, 2> keep;
      ArrayProblem problem = source.read(source, array.ptr(), element, keep);
      if (problem.kind)
        fail(problem.kind, problem.text);
      if (p.scalarDType && *p.scalarDType != element.dtype)
        return readNumber(p, nb::object(nb::handle(value).attr("item")()).ptr());
      uint64_t bits = 0;
      std::memcpy(&bits, element.data, element.elementBytes());
      return addScalar(element.dtype, bits);
    }
    if (PyLong_Check(value) || PyFloat_Check(value)) // a subclass; an enum is a constant
      if (!isEnum(value))
        return readNumber(p, value);
    if (isImplicitConstant(value))
      return addConstant(value);
    nb::handle type = nb::handle(value).type();
    if (nb::hasattr(type, "__dataclass_fields__")) {
      if (!isFrozenDataclass(type))
        fail(PyExc_TypeError, "is a dataclass that can change, expected @dataclass(frozen=True)");
      list.keyWords.append({TagDataclass, numberOf(type)});
      for (const std::string &field : fieldNames(type)) {
        list.keepAlive.push_back(nb::handle(value).attr(field.c_str()));
        readMember(anything(), list.keepAlive.back().ptr(), "." + field);
      }
      return;
    }
    if (ArraySource *source = findInstanceSource(value))
      return readArray(p, value, *source);
    if (PyTuple_Check(value)) // a kernel would have its items without their names
      fail(PyExc_TypeError, "is a " + typeName(value) +
                                ", a subclass of tuple; expected a plain tuple, as tuple(...) returns, or a "
                                "dataclass with frozen=True, whose fields keep their names");
    fail(PyExc_TypeError, "is a " + typeName(value) +
                              ", expected an array (NumPy, PyTorch, DLPack, __array_interface__, "
                              "__cuda_array_interface__), a number, a tuple of "
                              "these, or a list of "
                              "arrays");
  }

  ArgumentList &list;
  const std::string &kernel;
  const Parameter *parameter = nullptr;
  const char *placeName = nullptr; // the parameter with the first array
  std::string suffix;
};

namespace {
// The record of a parameter without annotation, as the front end has it.
nb::object plainParameterRecord() {
  nb::object make = nb::module_::import_("tilewright._frontend.signature").attr("Parameter");
  return make("", false, nb::none());
}
} // namespace

const Parameter &Reader::anything() {
  static const Parameter &plain = *new Parameter(plainParameterRecord());
  return plain;
}

void ArgumentList::read(const std::string &kernel, llvm::ArrayRef<Parameter> parameters, PyObject *args) {
  bool isTuple = PyTuple_Check(args);
  if (!isTuple && !PyList_Check(args))
    raise(PyExc_TypeError, kernel + ": the arguments are a " + typeName(args) + ", expected a tuple");
  size_t given = isTuple ? NB_TUPLE_GET_SIZE(args) : NB_LIST_GET_SIZE(args);
  size_t required = llvm::count_if(parameters, [](const Parameter &p) { return !p.hasDefault; });
  if (given > parameters.size() || given < required) {
    std::string names = llvm::join(llvm::map_range(parameters, [](const Parameter &p) { return p.name; }), ", ");
    std::string expected = required == parameters.size()
                               ? std::to_string(required)
                               : std::to_string(required) + " to " + std::to_string(parameters.size());
    raise(PyExc_TypeError,
          kernel + ": " + std::to_string(given) + " arguments, expected " + expected + " (" + names + ")");
  }
  Reader reader(*this, kernel);
  for (size_t i = 0; i < parameters.size(); ++i) {
    PyObject *value = i >= given ? parameters[i].defaultValue.ptr()
                      : isTuple  ? NB_TUPLE_GET_ITEM(args, i)
                                 : NB_LIST_GET_ITEM(args, i);
    reader.read(parameters[i], value);
  }
  if (device != inHostMemory)
    keyWords.push_back(TagDevice | uint64_t(device) << 4);
}

} // namespace tilewright::python
