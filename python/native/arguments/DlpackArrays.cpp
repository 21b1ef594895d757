// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of other frameworks, through DLPack.
#include "ArraySources.h"

namespace nb = nanobind;

namespace tilewright::python {
namespace {

// The structures of the specification, version 1.
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
constexpr uint8_t dlFloat4 = 17;
constexpr int32_t dlCpu = 1, dlCuda = 2, dlCudaHost = 3, dlRocmHost = 11, dlCudaManaged = 13;

// The functions a framework offers to other extensions, so that a tensor is described without any Python object made.
struct DLExchange {
  DLPackVersion version;
  void *previous;
  void *allocator;
  void *managedFromObject;
  void *objectFromManaged;
  int (*tensorFromObject)(void *object, DLTensor *out);
  int (*currentStream)(int32_t deviceType, int32_t deviceId, void **out);
};

const char *deviceName(int32_t type) {
  switch (type) {
  case 8:
    return "a Metal device";
  case 10:
    return "a ROCm device";
  case 14:
    return "a oneAPI device";
  default:
    return "a device of another kind";
  }
}

bool isHost(int32_t device) {
  return device == dlCpu || device == dlCudaHost || device == dlRocmHost;
}

bool isCuda(int32_t device) {
  return device == dlCuda || device == dlCudaManaged;
}

ArrayProblem elsewhere(int32_t device) {
  return {PyExc_ValueError,
          std::string("is on ") + deviceName(device) + ", expected an array in host memory or on a CUDA device"};
}

ArrayProblem fromTensor(const DLTensor &tensor, bool readOnly, ArrayValue &array) {
  if (isCuda(tensor.device.type))
    array.device = tensor.device.id;
  else if (!isHost(tensor.device.type))
    return elsewhere(tensor.device.type);
  if (tensor.rank > maxRank)
    return tooManyAxes(tensor.rank);
  std::optional<DTypeId> dtype = dtypeByCode(tensor.dtype.code, tensor.dtype.bits);
  if (tensor.dtype.code == dlFloat4)
    return unsupportedDType("float4_e2m1fn");
  if (!dtype || tensor.dtype.lanes != 1)
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
  if (!tensor.data && contiguous) // now the number of elements
    return {PyExc_ValueError,
            "has no memory, as tensors that PyTorch traces with; make an operator of the function that "
            "launches the kernel (tilewright.torch.op)"};
  return {};
}

ArrayProblem pythonError() {
  nb::python_error error; // takes the current one
  return {PyExc_TypeError, "cannot be read through DLPack: " + nb::cast<std::string>(nb::str(error.value()))};
}

ArrayProblem readExchange(ArraySource &source, PyObject *value, ArrayValue &array,
                          llvm::SmallVectorImpl<nb::object> &) {
  DLTensor tensor;
  if (static_cast<const DLExchange *>(source.exchange)->tensorFromObject(value, &tensor))
    return pythonError();
  return fromTensor(tensor, /*readOnly=*/false, array);
}

// The capsule is given back when the launch is over: its destructor frees the tensor.
ArrayProblem fromCapsule(nb::object capsule, ArrayValue &array, llvm::SmallVectorImpl<nb::object> &keepAlive) {
  PyObject *object = capsule.ptr();
  keepAlive.push_back(std::move(capsule));
  if (PyCapsule_IsValid(object, "dltensor_versioned")) {
    auto &managed = *static_cast<DLManagedTensorVersioned *>(PyCapsule_GetPointer(object, "dltensor_versioned"));
    return fromTensor(managed.tensor, managed.flags & dlReadOnly, array);
  }
  if (auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(object, "dltensor")))
    return fromTensor(managed->tensor, /*readOnly=*/false, array);
  return pythonError();
}

// The kind of device an object is on, if it says so; with no error pending.
int32_t deviceTypeOf(PyObject *value) {
  nb::object device = nb::steal(PyObject_CallMethod(value, "__dlpack_device__", nullptr));
  long type = dlCpu;
  if (device.is_valid() && PyTuple_Check(device.ptr()) && NB_TUPLE_GET_SIZE(device.ptr()) == 2)
    type = PyLong_AsLong(NB_TUPLE_GET_ITEM(device.ptr(), 0));
  PyErr_Clear();
  return static_cast<int32_t>(type);
}

// Why an object made no capsule: it is elsewhere, or what it says.
ArrayProblem noCapsule(PyObject *value) {
  ArrayProblem problem = pythonError();
  int32_t type = deviceTypeOf(value);
  return isHost(type) || isCuda(type) ? problem : elsewhere(type);
}

PyObject *dlpackName() {
  static PyObject *const name = PyUnicode_InternFromString("__dlpack__");
  return name;
}

// Before DLPack 1.0.
ArrayProblem readOldCapsule(ArraySource &, PyObject *value, ArrayValue &array,
                            llvm::SmallVectorImpl<nb::object> &keepAlive) {
  nb::object capsule = nb::steal(PyObject_VectorcallMethod(dlpackName(), &value, 1, nullptr));
  return capsule.is_valid() ? fromCapsule(std::move(capsule), array, keepAlive) : noCapsule(value);
}

// Frameworks that take the stream -1, which the specification has for not waiting. JAX takes it for a stream.
bool takesNoWaiting(const ArraySource &source) {
  std::string module = nb::cast<std::string>(
      nb::getattr(nb::handle(reinterpret_cast<PyObject *>(source.type)), "__module__", nb::str("")));
  llvm::StringRef package = llvm::StringRef(module).split('.').first;
  return package == "torch" || package == "cupy";
}

// As a tensor on a GPU is asked for: without waiting for the stream that its framework works on, since the launch is on
// that stream or on one that the user chose.
ArrayProblem readDeviceCapsule(ArraySource &source, PyObject *value, ArrayValue &array,
                               llvm::SmallVectorImpl<nb::object> &keepAlive) {
  static PyObject *const names = Py_BuildValue("(ss)", "stream", "max_version"), *const oldNames =
                                                                                     Py_BuildValue("(s)", "stream");
  static PyObject *const version = Py_BuildValue("(ii)", 1, 1), *const noStream = PyLong_FromLong(-1);
  PyObject *arguments[] = {value, noStream, version};
  nb::object capsule = nb::steal(PyObject_VectorcallMethod(dlpackName(), arguments, 1, names));
  if (!capsule.is_valid() && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = nb::steal(PyObject_VectorcallMethod(dlpackName(), arguments, 1, oldNames));
  }
  if (capsule.is_valid())
    return fromCapsule(std::move(capsule), array, keepAlive);
  if (PyObject_HasAttrString(value, "__cuda_array_interface__")) {
    PyErr_Clear();
    return readCudaInterface(source, value, array, keepAlive);
  }
  return noCapsule(value);
}

// The device is not asked beforehand: a launch takes a microsecond, and a call of a Python method a tenth of that. The
// tensor says where it is.
ArrayProblem readCapsule(ArraySource &source, PyObject *value, ArrayValue &array,
                         llvm::SmallVectorImpl<nb::object> &keepAlive) {
  static PyObject *const names = Py_BuildValue("(s)", "max_version"), *const version = Py_BuildValue("(ii)", 1, 1);
  PyObject *arguments[] = {value, version};
  nb::object capsule = nb::steal(PyObject_VectorcallMethod(dlpackName(), arguments, 1, names));
  ArrayProblem problem;
  if (capsule.is_valid()) {
    problem = fromCapsule(std::move(capsule), array, keepAlive);
  } else if (!PyErr_ExceptionMatches(PyExc_TypeError)) {
    problem = noCapsule(value);
    if (!isCuda(deviceTypeOf(value)))
      return problem;
    if (PyObject_HasAttrString(value, "__cuda_array_interface__")) {
      source.read = readCudaInterface;
      return readCudaInterface(source, value, array, keepAlive);
    }
    if (!takesNoWaiting(source))
      return problem;
    source.read = readDeviceCapsule;
    return readDeviceCapsule(source, value, array, keepAlive);
  } else {
    PyErr_Clear();
    problem = readOldCapsule(source, value, array, keepAlive);
    if (!problem.kind)
      source.read = readOldCapsule;
  }
  if (!problem.kind && array.device != inHostMemory && takesNoWaiting(source))
    source.read = readDeviceCapsule; // for all objects of the type
  return problem;
}

} // namespace

// DLPack has no word for it and says nothing. A view that negates comes of the imaginary part of complex numbers, so no
// two elements are neighbours; other tensors are not asked, since a call takes a tenth of a launch.
ArrayProblem checkLazyBits(PyObject *value, const ArrayValue &array) {
  for (int axis = 0; axis < array.rank; ++axis)
    if (array.shape[axis] == 0 || (array.shape[axis] > 1 && array.strides[axis] == 1))
      return {};
  static PyObject *const isNegative = PyUnicode_InternFromString("is_neg");
  nb::object answer = nb::steal(PyObject_VectorcallMethod(isNegative, &value, 1, nullptr));
  if (!answer.is_valid())
    return pythonError();
  if (answer.ptr() != Py_True)
    return {};
  return {PyExc_ValueError, "has the negative bit set: it is a view whose elements are the negatives of those in "
                            "memory; pass a copy, tensor.resolve_neg()"};
}

ArraySource dlpackSource(nb::handle type) {
  ArraySource source;
  source.mayNegate = nb::hasattr(type, "is_neg");
  nb::object capsule = nb::getattr(type, "__dlpack_c_exchange_api__", nb::none());
  if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) {
    auto *exchange = static_cast<DLExchange *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
    if (exchange->version.major == 1 && exchange->tensorFromObject)
      source.read = readExchange, source.exchange = exchange;
  }
  if (!source.read && nb::hasattr(type, "__dlpack__") && nb::hasattr(type, "__dlpack_device__"))
    source.read = readCapsule;
  return source;
}

bool currentStreamOfExchange(const void *exchange, int device, void **stream) {
  auto *functions = static_cast<const DLExchange *>(exchange);
  return functions->currentStream && !functions->currentStream(dlCuda, device, stream);
}

} // namespace tilewright::python
