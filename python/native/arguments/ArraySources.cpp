// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArraySources.h"

#include "runtime/cuda/Driver.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <deque>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

std::string textOf(nb::handle value) {
  return nb::cast<std::string>(nb::str(value));
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

ArrayProblem setStrides(ArrayValue &array, const int64_t *byteStrides) {
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

ArrayProblem readNumpy(ArraySource &, PyObject *value, ArrayValue &array, llvm::SmallVectorImpl<nb::object> &) {
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

// -- __array_interface__: NumPy's own description as a dict; __cuda_array_interface__ is the same of memory on a GPU

// '<f4' and its like, without asking NumPy; structured and big-endian types are nothing of ours. The name of a dtype
// that NumPy has no letter for stands for itself, as in the arrays that come from XLA.
std::optional<DTypeId> typestrDType(llvm::StringRef typestr) {
  if (typestr.size() < 3)
    return std::nullopt;
  if (llvm::isAlpha(typestr[0]))
    return dtypeByName(typestr.str());
  unsigned bytes;
  if (!llvm::is_contained({'<', '|', '='}, typestr[0]) || typestr.drop_front(2).getAsInteger(10, bytes))
    return std::nullopt;
  constexpr llvm::StringLiteral kinds = "iuf   b"; // by DLPack's code
  size_t code = kinds.find(typestr[1]);
  return code == llvm::StringRef::npos ? std::nullopt : dtypeByCode(code, bytes * 8);
}

ArrayProblem invalidInterface(const char *interface, const char *key, PyObject *found) {
  PyErr_Clear();
  return {PyExc_TypeError, std::string("has ") + (found ? textOf(nb::repr(found)) : "nothing") + " for " + interface +
                               "['" + key + "'], expected " +
                               (llvm::StringRef(key) == "data" ? "(address, read-only)" : "a tuple of integers")};
}

bool readIntegers(PyObject *tuple, int64_t (&into)[maxRank]) {
  for (Py_ssize_t i = 0, size = NB_TUPLE_GET_SIZE(tuple); i < size; ++i) {
    into[i] = PyLong_AsLongLong(NB_TUPLE_GET_ITEM(tuple, i));
    if (into[i] == -1 && PyErr_Occurred())
      return false;
  }
  return true;
}

ArrayProblem readInterfaceOf(const char *interfaceName, PyObject *name, PyObject *value, ArrayValue &array,
                             llvm::SmallVectorImpl<nb::object> &keepAlive) {
  static PyObject *const typestrKey = PyUnicode_InternFromString("typestr"),
                         *const shapeKey = PyUnicode_InternFromString("shape"),
                         *const stridesKey = PyUnicode_InternFromString("strides"),
                         *const dataKey = PyUnicode_InternFromString("data");
  nb::object interface = nb::steal(PyObject_GetAttr(value, name));
  if (!interface.is_valid()) {
    nb::python_error error;
    return {PyExc_TypeError, std::string("cannot be read through ") + interfaceName + ": " + textOf(error.value())};
  }
  if (!PyDict_Check(interface.ptr()))
    return {PyExc_TypeError, std::string("has an ") + interfaceName + " that is no dict"};
  PyObject *dict = interface.ptr();
  PyObject *typestr = PyDict_GetItemWithError(dict, typestrKey), *shape = PyDict_GetItemWithError(dict, shapeKey),
           *strides = PyDict_GetItemWithError(dict, stridesKey), *data = PyDict_GetItemWithError(dict, dataKey);
  if (!typestr || !PyUnicode_Check(typestr))
    return {PyExc_TypeError, std::string("has no text in ") + interfaceName + "['typestr']"};
  Py_ssize_t length;
  const char *letters = PyUnicode_AsUTF8AndSize(typestr, &length); // none of text that has no UTF-8
  std::optional<DTypeId> id = letters ? typestrDType({letters, static_cast<size_t>(length)}) : std::nullopt;
  if (!id) {
    PyErr_Clear();
    return unsupportedDType(textOf(typestr));
  }
  if (!shape || !PyTuple_Check(shape))
    return invalidInterface(interfaceName, "shape", shape);
  Py_ssize_t rank = NB_TUPLE_GET_SIZE(shape);
  if (rank > maxRank)
    return tooManyAxes(rank);
  if (!readIntegers(shape, array.shape))
    return invalidInterface(interfaceName, "shape", shape);
  if (data == nullptr || data == Py_None || PyObject_CheckBuffer(data))
    return {PyExc_TypeError,
            std::string("describes its memory by a buffer, expected an address in ") + interfaceName + "['data']"};
  if (!PyTuple_Check(data) || NB_TUPLE_GET_SIZE(data) != 2 || !PyLong_Check(NB_TUPLE_GET_ITEM(data, 0)))
    return invalidInterface(interfaceName, "data", data);
  array.data = static_cast<char *>(PyLong_AsVoidPtr(NB_TUPLE_GET_ITEM(data, 0)));
  if (!array.data && PyErr_Occurred())
    return invalidInterface(interfaceName, "data", data);
  int readOnly = PyObject_IsTrue(NB_TUPLE_GET_ITEM(data, 1));
  if (readOnly < 0)
    return invalidInterface(interfaceName, "data", data);
  array.readOnly = readOnly;
  array.dtype = *id;
  array.rank = rank;
  int64_t byteStrides[maxRank];
  if (strides && strides != Py_None) {
    if (!PyTuple_Check(strides) || NB_TUPLE_GET_SIZE(strides) != rank || !readIntegers(strides, byteStrides))
      return invalidInterface(interfaceName, "strides", strides);
  } else {
    int64_t contiguous = array.elementBytes();
    for (Py_ssize_t axis = rank; axis-- > 0; contiguous *= array.shape[axis])
      byteStrides[axis] = contiguous;
  }
  keepAlive.push_back(std::move(interface)); // may own what it describes
  return setStrides(array, byteStrides);
}

ArrayProblem readInterface(ArraySource &, PyObject *value, ArrayValue &array,
                           llvm::SmallVectorImpl<nb::object> &keepAlive) {
  static PyObject *const name = PyUnicode_InternFromString("__array_interface__");
  return readInterfaceOf("__array_interface__", name, value, array, keepAlive);
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
  if (ArraySource source = dlpackSource(handle); source.read)
    return source;
  if (nb::hasattr(handle, "__cuda_array_interface__"))
    return {readCudaInterface};
  if (nb::hasattr(handle, "__array_interface__"))
    return {readInterface};
  return {};
}

// The stream that a framework works on, asked in Python: CuPy's, and PyTorch's before it offered it to extensions.
void *askForStream(PyTypeObject *type, int device) {
  std::string module = textOf(nb::getattr(reinterpret_cast<PyObject *>(type), "__module__", nb::str("")));
  llvm::StringRef package = llvm::StringRef(module).split('.').first;
  nb::object stream = nb::none();
  if (package == "torch")
    stream = nb::module_::import_("torch").attr("cuda").attr("current_stream")(device).attr("cuda_stream");
  else if (package == "cupy")
    stream = nb::module_::import_("cupy").attr("cuda").attr("get_current_stream")().attr("ptr");
  return stream.is_none() ? nullptr : reinterpret_cast<void *>(nb::cast<uintptr_t>(stream));
}

} // namespace

int deviceOf(const void *address) {
  if (!address)
    return onAnyGpu;
  int ordinal = 0;
  if (auto driver = cuda::Driver::get())
    driver->pointerAttribute(&ordinal, cuda::PointerAttribute::DeviceOrdinal, reinterpret_cast<uint64_t>(address));
  else
    llvm::consumeError(driver.takeError());
  return ordinal;
}

ArrayProblem readCudaInterface(ArraySource &, PyObject *value, ArrayValue &array,
                               llvm::SmallVectorImpl<nb::object> &keepAlive) {
  static PyObject *const name = PyUnicode_InternFromString("__cuda_array_interface__");
  ArrayProblem problem = readInterfaceOf("__cuda_array_interface__", name, value, array, keepAlive);
  if (!problem.kind)
    array.device = deviceOf(array.data);
  return problem;
}

void *ArraySource::currentStream(int device) const {
  void *stream = nullptr;
  if (exchange && currentStreamOfExchange(exchange, device, &stream))
    return stream;
  return type ? askForStream(type, device) : nullptr;
}

ArrayProblem unsupportedDType(const std::string &found) {
  if (llvm::StringRef(found).contains("float4_e2m1fn"))
    return {PyExc_TypeError, "has dtype " + found +
                                 ", of which a kernel takes two in a byte: pass them as uint8, the first in the low "
                                 "half, and call unpack_from_bytes(tile, float4_e2m1fn)"};
  std::string names;
  for (const DTypeInfo &info : dtypeTable())
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  return {PyExc_TypeError, "has dtype " + found + ", expected one of " + names};
}

ArrayProblem tooManyAxes(int64_t rank) {
  return {PyExc_ValueError, "has " + std::to_string(rank) + " dimensions, expected at most " + std::to_string(maxRank)};
}

ArraySource &findArraySource(PyTypeObject *type) {
  struct Known {
    PyTypeObject *type; // kept alive
    ArraySource source;
  };
  static auto &known = *new std::deque<Known>();
  for (Known &entry : known)
    if (entry.type == type)
      return entry.source;
  static ArraySource unremembered;
  ArraySource source = chooseSource(type);
  if (known.size() >= 64)
    return unremembered = source;
  nb::handle(reinterpret_cast<PyObject *>(type)).inc_ref();
  source.type = type;
  return known.emplace_back(Known{type, source}).source;
}

ArraySource *findInstanceSource(PyObject *value) {
  bool isOnGpu = nb::hasattr(value, "__cuda_array_interface__");
  if (!isOnGpu && !nb::hasattr(value, "__array_interface__"))
    return nullptr;
  ArraySource &source = findArraySource(Py_TYPE(value));
  source.read = isOnGpu ? readCudaInterface : readInterface; // others of its type will have it, too
  return &source;
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
