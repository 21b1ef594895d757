// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GpuLaunch.h"

#include "Bindings.h"
#include "Launcher.h"
#include "arguments/ArraySources.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/vector.h>
#include <utility>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

using Kind = cuda::DriverError::Kind;

// Where objects of a type keep the handle of their stream. The decision is made once per type.
struct StreamSource {
  PyTypeObject *type; // kept alive
  PyObject *attribute = nullptr;
  bool isProtocol = false; // __cuda_stream__() gives (version, handle)
  bool isFixed = false;    // an object's handle never changes
};

StreamSource chooseSource(PyTypeObject *type) {
  nb::handle handle(reinterpret_cast<PyObject *>(type));
  // PyTorch's and CuPy's, which are quicker than the protocol; then cuda-core and who else has that.
  std::string module = nb::cast<std::string>(nb::getattr(handle, "__module__", nb::str("")));
  bool isFixed = llvm::StringRef(module).starts_with("torch.") || llvm::StringRef(module).starts_with("cupy.");
  for (const char *name : {"cuda_stream", "ptr"})
    if (nb::hasattr(handle, name))
      return {type, PyUnicode_InternFromString(name), false, isFixed};
  if (nb::hasattr(handle, "__cuda_stream__"))
    return {type, PyUnicode_InternFromString("__cuda_stream__"), true};
  if (nb::hasattr(handle, "handle"))
    return {type, PyUnicode_InternFromString("handle")};
  return {type};
}

const StreamSource &sourceOf(PyTypeObject *type) {
  static auto &known = *new std::vector<StreamSource>();
  for (const StreamSource &source : known)
    if (source.type == type)
      return source;
  nb::handle(reinterpret_cast<PyObject *>(type)).inc_ref();
  known.push_back(chooseSource(type));
  return known.back();
}

// An int, or what says it is one, as the streams of cuda-python's driver bindings.
bool readNumber(PyObject *value, uintptr_t &number) {
  nb::object integer = nb::steal(PyNumber_Long(value));
  if (integer.is_valid())
    number = PyLong_AsSize_t(integer.ptr());
  if (!PyErr_Occurred())
    return true;
  PyErr_Clear();
  return false;
}

} // namespace

bool isStreamObject(nb::handle stream) {
  if (stream.is_none() || PyLong_Check(stream.ptr()))
    return false;
  return sourceOf(Py_TYPE(stream.ptr())).attribute;
}

cuda::StreamHandle readStream(const std::string &kernel, nb::handle stream, const ArgumentList &list) {
  if (stream.is_none())
    return static_cast<cuda::StreamHandle>(list.framework ? list.framework->currentStream(list.device) : nullptr);
  uintptr_t number = 0;
  PyObject *value = stream.ptr();
  // The object of the last launch, and its handle: asking for it takes a tenth of a microsecond.
  static PyObject *last = nullptr; // kept alive, so that no other has its address
  static uintptr_t lastNumber = 0;
  if (value == last)
    return reinterpret_cast<cuda::StreamHandle>(lastNumber);
  if (PyLong_Check(value)) {
    if (readNumber(value, number))
      return reinterpret_cast<cuda::StreamHandle>(number);
  } else if (const StreamSource &source = sourceOf(Py_TYPE(value)); source.attribute) {
    nb::object found = nb::steal(source.isProtocol ? PyObject_VectorcallMethod(source.attribute, &value, 1, nullptr)
                                                   : PyObject_GetAttr(value, source.attribute));
    if (!found.is_valid())
      throw nb::python_error();
    if (source.isProtocol && PyTuple_Check(found.ptr()) && NB_TUPLE_GET_SIZE(found.ptr()) == 2)
      found = nb::borrow(NB_TUPLE_GET_ITEM(found.ptr(), 1));
    if (readNumber(found.ptr(), number)) {
      if (source.isFixed) {
        Py_XDECREF(std::exchange(last, Py_NewRef(value)));
        lastNumber = number;
      }
      return reinterpret_cast<cuda::StreamHandle>(number);
    }
  } else if (!PyFloat_Check(value) && !PyUnicode_Check(value) && readNumber(value, number)) {
    return reinterpret_cast<cuda::StreamHandle>(number);
  }
  raise(PyExc_TypeError, kernel + ": the stream is " + nb::cast<std::string>(nb::repr(stream)) +
                             ", expected None, a stream of PyTorch, CuPy or cuda-core, an object with "
                             "__cuda_stream__, or the driver's handle as a number");
}

void raiseDriverError(llvm::Error error) {
  if (!error.isA<cuda::DriverError>())
    raiseCompilerError(std::move(error));
  Kind kind = Kind::Refused;
  std::string text;
  llvm::handleAllErrors(std::move(error), [&](const cuda::DriverError &problem) {
    kind = problem.getKind();
    text = problem.message();
  });
  nb::module_ errors = nb::module_::import_("tilewright.errors");
  nb::object type = kind == Kind::OutOfMemory ? nb::borrow(PyExc_MemoryError)
                    : kind == Kind::Fault     ? nb::object(errors.attr("TileFaultError"))
                                              : nb::object(errors.attr("TileDeviceError"));
  raise(type.ptr(), text);
}

cuda::Device &deviceOrRaise(int ordinal) {
  auto device = cuda::Device::get(ordinal);
  if (!device)
    raiseDriverError(device.takeError());
  return *device;
}

StagedArguments::StagedArguments(ArgumentList &list, cuda::Device &device, cuda::Staging::To to,
                                 llvm::function_ref<bool(size_t)> isWritten)
    : device(device), staging(device, to) {
  for (size_t i = 0; i < list.numArrays(); ++i) {
    const ArrayValue &array = list.anyArray(i);
    staging.add(reinterpret_cast<uint64_t>(array.data), array.end() - array.data, isWritten(i));
  }
  llvm::Error error = [&] {
    nb::gil_scoped_release release;
    return staging.begin();
  }();
  if (error)
    raiseDriverError(std::move(error));
  for (size_t i = 0; i < list.numArrays(); ++i) {
    ArrayValue &array = list.anyArray(i);
    array.data = reinterpret_cast<char *>(staging.translate(reinterpret_cast<uint64_t>(array.data)));
  }
  for (const ListValue &value : list.lists)
    for (size_t row = 0; row < value.count; ++row) {
      const ArrayValue &array = list.listArrays[value.first + row];
      list.tables[value.table + row * (1 + 2 * array.rank)] = reinterpret_cast<int64_t>(array.data);
    }
}

void StagedArguments::finish() {
  llvm::Error error = [&] {
    nb::gil_scoped_release release;
    return staging.end();
  }();
  if (error)
    raiseDriverError(std::move(error));
}

LaunchResult launchOnGpu(const session::GpuCode &code, llvm::ArrayRef<void *> parameters, Grid grid,
                         const cuda::LaunchOptions &options) {
  auto result = [&] {
    // The driver waits when its queue is full, and what empties the queue may need the GIL.
    nb::gil_scoped_release release;
    return code.executable->launch(*code.kernel, parameters, grid, options);
  }();
  return valueOrRaise(std::move(result));
}

// Waits for launches on GPUs, all or those of kernels that may say something; what they printed appears, and what they
// did wrong is raised.
static void synchronizeAll(bool speaking) {
  auto result = [&] {
    nb::gil_scoped_release release;
    return cuda::synchronize(speaking ? cuda::Launches::OfSpeakingKernels : cuda::Launches::All);
  }();
  LaunchResult told = valueOrRaise(std::move(result));
  reportLaunch("a kernel on a GPU", told);
}

// (name, architecture as in sm_90a, multiprocessors, bytes of shared memory a block may have)
static nb::tuple describeDevice(int ordinal) {
  cuda::Device &device = deviceOrRaise(ordinal);
  return nb::make_tuple(device.name, device.architecture->name.str(), device.multiprocessors,
                        device.sharedBytesPerBlock);
}

// An image described by JSON, loaded: kernels that the compiler did not make.
static LoadedEntry loadGpuImage(const std::string &description, nb::bytes cubin, const std::string &entry, int device) {
  auto json = llvm::json::parse(description);
  if (!json)
    raiseDriverError(json.takeError());
  cuda::GpuImage image = valueOrRaise(cuda::readGpuImage(*json, std::string(cubin.c_str(), cubin.size())));
  auto loaded = cuda::GpuExecutable::load(std::move(image), deviceOrRaise(device));
  if (!loaded)
    raiseDriverError(loaded.takeError());
  return entryOrRaise(session::findEntry(*loaded, entry, "loaded"));
}

// Seconds for each call of the driver with these values of the parameters.
static double timeBareLaunches(const LoadedEntry &code, std::array<int64_t, 3> grid, std::vector<uint64_t> values,
                               unsigned count) {
  auto *gpu = code.get<session::GpuCode>();
  if (!gpu || values.size() != code.info->parameters.size())
    throw nb::value_error("expected the code of a GPU and a value for each of its parameters");
  llvm::SmallVector<void *> pointers;
  for (uint64_t &value : values)
    pointers.push_back(&value);
  return valueOrRaise(
      gpu->executable->timeBareLaunches(*gpu->kernel, pointers, {grid[0], grid[1], grid[2]}, nullptr, count));
}

// A copy of host memory on a GPU.
class DeviceCopy {
public:
  DeviceCopy(int ordinal, uint64_t from, size_t bytes) : device(deviceOrRaise(ordinal)) {
    cuda::CurrentContext current(device);
    cuda::Status status = current.status;
    if (status == cuda::Status::Success)
      status = device.driver.memoryAllocate(&memory, std::max<size_t>(1, bytes));
    if (status == cuda::Status::Success && bytes)
      status = device.driver.copyToDevice(memory, reinterpret_cast<const void *>(from), bytes);
    if (status != cuda::Status::Success)
      raiseDriverError(cuda::failed(device.driver, status, "copying an array to " + device.text()));
  }
  ~DeviceCopy() {
    cuda::CurrentContext current(device);
    if (memory)
      device.driver.memoryFree(memory);
  }
  DeviceCopy(const DeviceCopy &) = delete;
  uint64_t address() const { return memory; }

private:
  cuda::Device &device;
  cuda::DeviceAddress memory = 0;
};

void bindGpuLaunch(nb::module_ &m) {
  nb::class_<DeviceCopy>(m, "DeviceCopy")
      .def(nb::init<int, uint64_t, size_t>(), nb::arg("ordinal"), nb::arg("address"), nb::arg("bytes"))
      .def_prop_ro("address", &DeviceCopy::address);
  m.def("time_bare_launches", &timeBareLaunches, nb::arg("executable"), nb::arg("grid"), nb::arg("values"),
        nb::arg("count"));
  m.def("synchronize", &synchronizeAll, nb::arg("speaking") = false);
  m.def("describe_gpu", &describeDevice, nb::arg("ordinal"));
  m.def("load_gpu_image", &loadGpuImage, nb::arg("description"), nb::arg("cubin"), nb::arg("entry") = "",
        nb::arg("device") = 0);
}

} // namespace tilewright::python
