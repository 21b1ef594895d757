// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArraySources.h"

#include "llvm/ADT/bit.h"
#include <cstring>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

std::string textOf(nb::handle value) {
  return nb::cast<std::string>(nb::str(value));
}

ArrayProblem unsupportedDType(const std::string &found) {
  std::string names;
  for (const DTypeInfo &info : dtypeTable())
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  return {PyExc_TypeError, "has dtype " + found + ", expected one of " + names};
}

ArrayProblem tooManyAxes(int64_t rank) {
  return {PyExc_ValueError, "has " + std::to_string(rank) + " dimensions, expected at most " + std::to_string(maxRank)};
}

// -- NumPy: the array object's own fields, whose layout is part of NumPy's stable ABI and is checked once against
// __array_interface__

struct NumpyArray {
  PyObject_HEAD;
  char *data;
  int rank;
  Py_ssize_t *shape;
  Py_ssize_t *strides; // in bytes
  PyObject *base;
  PyObject *dtype;
  int flags;
};
constexpr int numpyWriteable = 0x0400;

// The dtype of a numpy.dtype object; built-in ones are singletons, so a few pointers answer nearly every time.
std::optional<DTypeId> numpyDType(PyObject *dtype) {
  struct Known {
    PyObject *object; // kept alive
    std::optional<DTypeId> id;
  };
  static auto &known = *new llvm::SmallVector<Known, 16>();
  for (const Known &entry : known)
    if (entry.object == dtype)
      return entry.id;
  nb::handle handle(dtype);
  std::optional<DTypeId> id;
  if (nb::cast<bool>(handle.attr("isnative")) && handle.attr("fields").is_none()) {
    std::string name = textOf(handle.attr("name"));
    id = dtypeByName(name == "bool" ? "bool_" : name);
  }
  if (known.size() < 64)
    known.push_back({handle.inc_ref().ptr(), id});
  return id;
}

ArrayProblem setStrides(ArrayValue &array, const Py_ssize_t *byteStrides) {
  int64_t itemBytes = array.elementBytes();
  unsigned shift = llvm::countr_zero(static_cast<uint64_t>(itemBytes));
  for (int axis = 0; axis < array.rank; ++axis) {
    if (byteStrides[axis] & (itemBytes - 1) && array.shape[axis] > 1)
      return {PyExc_ValueError, "has a stride of " + std::to_string(byteStrides[axis]) + " bytes on axis " +
                                    std::to_string(axis) + ", expected a multiple of its element size; copy it first"};
    array.strides[axis] = byteStrides[axis] >> shift;
  }
  return {};
}

ArrayProblem readNumpy(const ArraySource &, PyObject *value, ArrayValue &array, llvm::SmallVectorImpl<nb::object> &) {
  const auto &object = *reinterpret_cast<NumpyArray *>(value);
  std::optional<DTypeId> dtype = numpyDType(object.dtype);
  if (!dtype)
    return unsupportedDType(textOf(object.dtype));
  if (object.rank > maxRank)
    return tooManyAxes(object.rank);
  array.data = object.data;
  array.dtype = *dtype;
  array.readOnly = !(object.flags & numpyWriteable);
  array.rank = object.rank;
  for (int axis = 0; axis < object.rank; ++axis)
    array.shape[axis] = object.shape[axis];
  return setStrides(array, object.strides);
}

// -- __array_interface__: NumPy's own description as a dict

ArrayProblem readInterface(const ArraySource &, PyObject *value, ArrayValue &array,
                           llvm::SmallVectorImpl<nb::object> &keepAlive) {
  nb::object interface = nb::handle(value).attr("__array_interface__");
  keepAlive.push_back(interface);
  nb::object numpy = nb::module_::import_("numpy");
  nb::object dtype = numpy.attr("dtype")(interface["typestr"]);
  std::optional<DTypeId> id = numpyDType(dtype.ptr());
  if (!id)
    return unsupportedDType(textOf(interface["typestr"]));
  nb::object shape = interface["shape"], strides = interface.attr("get")("strides"),
             data = interface.attr("get")("data");
  size_t rank = nb::len(shape);
  if (rank > maxRank)
    return tooManyAxes(rank);
  if (!PyTuple_Check(data.ptr()))
    return {PyExc_TypeError, "describes its memory by a buffer, expected an address in __array_interface__['data']"};
  array.data = reinterpret_cast<char *>(nb::cast<uintptr_t>(data[0]));
  array.readOnly = nb::cast<bool>(nb::bool_(nb::object(data[1])));
  array.dtype = *id;
  array.rank = rank;
  Py_ssize_t byteStrides[maxRank];
  Py_ssize_t contiguous = array.elementBytes();
  for (size_t axis = rank; axis-- > 0;) {
    array.shape[axis] = nb::cast<int64_t>(shape[axis]);
    byteStrides[axis] = strides.is_none() ? contiguous : nb::cast<Py_ssize_t>(strides[axis]);
    contiguous *= array.shape[axis];
  }
  return setStrides(array, byteStrides);
}

// -- DLPack: the structures of its specification, version 1

struct DLDevice {
  int32_t type, id;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t rank;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape;
  int64_t *strides; // in elements; null if contiguous
  uint64_t byteOffset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};
struct DLPackVersion {
  uint32_t major, minor;
};
struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  DLTensor tensor;
};
constexpr uint64_t dlReadOnly = 1;
constexpr int32_t dlCpu = 1, dlCudaHost = 3, dlRocmHost = 11;

// The functions a framework offers to other extensions, so that a tensor is described without any Python object made.
struct DLExchange {
  DLPackVersion version;
  void *previous;
  void *allocator;
  void *managedFromObject;
  void *objectFromManaged;
  int (*tensorFromObject)(void *object, DLTensor *out);
  void *currentStream;
};

const char *deviceName(int32_t type) {
  switch (type) {
  case 2:
  case 13:
    return "a CUDA device";
  case 8:
    return "a Metal device";
  case 10:
    return "a ROCm device";
  case 14:
    return "a oneAPI device";
  default:
    return "a device that is not the CPU";
  }
}

ArrayProblem fromTensor(const DLTensor &tensor, bool readOnly, ArrayValue &array) {
  if (tensor.device.type != dlCpu && tensor.device.type != dlCudaHost && tensor.device.type != dlRocmHost)
    return {PyExc_ValueError,
            std::string("is on ") + deviceName(tensor.device.type) + ", expected an array in host memory"};
  if (tensor.rank > maxRank)
    return tooManyAxes(tensor.rank);
  std::optional<DTypeId> dtype;
  for (auto [id, info] : llvm::enumerate(dtypeTable()))
    if (info.dlpackCode == tensor.dtype.code && info.bytes * 8 == tensor.dtype.bits && tensor.dtype.lanes == 1)
      dtype = id;
  if (!dtype)
    return unsupportedDType("DLPack code " + std::to_string(tensor.dtype.code) + " with " +
                            std::to_string(tensor.dtype.bits) + " bits");
  array.data = static_cast<char *>(tensor.data) + tensor.byteOffset;
  array.dtype = *dtype;
  array.readOnly = readOnly;
  array.rank = tensor.rank;
  int64_t contiguous = 1;
  for (int axis = tensor.rank; axis-- > 0;) {
    array.shape[axis] = tensor.shape[axis];
    array.strides[axis] = tensor.strides ? tensor.strides[axis] : contiguous;
    contiguous *= tensor.shape[axis];
  }
  return {};
}

ArrayProblem pythonError() {
  nb::python_error error; // takes the current one
  return {PyExc_TypeError, "cannot be read through DLPack: " + textOf(error.value())};
}

ArrayProblem readExchange(const ArraySource &source, PyObject *value, ArrayValue &array,
                          llvm::SmallVectorImpl<nb::object> &) {
  DLTensor tensor;
  if (static_cast<const DLExchange *>(source.exchange)->tensorFromObject(value, &tensor))
    return pythonError();
  return fromTensor(tensor, /*readOnly=*/false, array);
}

ArrayProblem readCapsule(const ArraySource &, PyObject *value, ArrayValue &array,
                         llvm::SmallVectorImpl<nb::object> &keepAlive) {
  nb::handle object(value);
  try {
    int device = nb::cast<int>(object.attr("__dlpack_device__")()[0]);
    if (device != dlCpu && device != dlCudaHost && device != dlRocmHost)
      return {PyExc_ValueError, std::string("is on ") + deviceName(device) + ", expected an array in host memory"};
    nb::object capsule;
    try {
      capsule = object.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 1));
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_TypeError))
        throw;
      capsule = object.attr("__dlpack__")(); // before DLPack 1.0
    }
    keepAlive.push_back(capsule); // its destructor gives the tensor back
    if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
      auto &managed =
          *static_cast<DLManagedTensorVersioned *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
      return fromTensor(managed.tensor, managed.flags & dlReadOnly, array);
    }
    if (auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor")))
      return fromTensor(managed->tensor, /*readOnly=*/false, array);
    return pythonError();
  } catch (nb::python_error &error) {
    return {PyExc_TypeError, "cannot be read through DLPack: " + textOf(error.value())};
  }
}

// -- choosing

nb::object importedModule(const char *name) {
  nb::dict modules = nb::cast<nb::dict>(nb::module_::import_("sys").attr("modules"));
  return modules.contains(name) ? nb::object(modules[name]) : nb::none();
}

bool isSubclass(PyTypeObject *type, nb::handle base) {
  return PyObject_IsSubclass(reinterpret_cast<PyObject *>(type), base.ptr()) == 1;
}

bool numpyLayoutIsKnown(nb::handle numpy) {
  static const bool known = [&] {
    nb::object array = numpy.attr("zeros")(nb::make_tuple(2, 3), "float32");
    const auto &fields = *reinterpret_cast<NumpyArray *>(array.ptr());
    nb::object interface = array.attr("__array_interface__");
    return fields.data == reinterpret_cast<char *>(nb::cast<uintptr_t>(interface["data"][0])) && fields.rank == 2 &&
           fields.shape[0] == 2 && fields.shape[1] == 3 && fields.strides[0] == 12 && fields.strides[1] == 4 &&
           fields.dtype == array.attr("dtype").ptr() && (fields.flags & numpyWriteable);
  }();
  return known;
}

ArraySource chooseSource(PyTypeObject *type) {
  nb::handle handle(reinterpret_cast<PyObject *>(type));
  nb::object numpy = importedModule("numpy");
  if (!numpy.is_none() && isSubclass(type, numpy.attr("ndarray")))
    return numpyLayoutIsKnown(numpy) ? ArraySource{readNumpy} : ArraySource{readInterface};
  if (!numpy.is_none() && isSubclass(type, numpy.attr("generic")))
    return {}; // has __array_interface__, but is a number
  nb::object capsule = nb::getattr(handle, "__dlpack_c_exchange_api__", nb::none());
  if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) {
    auto *exchange = static_cast<DLExchange *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    if (exchange->version.major == 1 && exchange->tensorFromObject)
      return {readExchange, exchange};
  }
  if (nb::hasattr(handle, "__dlpack__") && nb::hasattr(handle, "__dlpack_device__"))
    return {readCapsule};
  if (nb::hasattr(handle, "__array_interface__"))
    return {readInterface};
  return {};
}

} // namespace

ArraySource findArraySource(PyTypeObject *type) {
  struct Known {
    PyTypeObject *type; // kept alive
    ArraySource source;
  };
  static auto &known = *new llvm::SmallVector<Known, 16>();
  for (const Known &entry : known)
    if (entry.type == type)
      return entry.source;
  ArraySource source = chooseSource(type);
  if (known.size() < 64) {
    Py_INCREF(type);
    known.push_back({type, source});
  }
  return source;
}

bool isNumpyScalar(PyObject *value) {
  nb::object numpy = importedModule("numpy");
  return !numpy.is_none() && isSubclass(Py_TYPE(value), numpy.attr("generic"));
}

nb::object numpyArrayOf(PyObject *value) {
  return nb::module_::import_("numpy").attr("asarray")(nb::handle(value));
}

bool isEnum(PyObject *value) {
  static nb::object &enumType = *new nb::object(nb::module_::import_("enum").attr("Enum"));
  return isSubclass(Py_TYPE(value), enumType);
}

bool isImplicitConstant(PyObject *value) {
  if (value == Py_None || PyUnicode_Check(value) || PyType_Check(value) || isEnum(value))
    return true;
  nb::object find = nb::module_::import_("tilewright.dtypes").attr("find_dtype");
  return !find(nb::handle(value)).is_none();
}

} // namespace tilewright::python
