// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launcher.h"

#include "GpuLaunch.h"
#include "LaunchGrid.h"
#include "runtime/Overlap.h"
#include "runtime/cuda/Stopwatch.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

StridedArray toBytes(const ArrayValue &array, int64_t (&strides)[maxRank]) {
  for (int axis = 0; axis < array.rank; ++axis)
    strides[axis] = array.strides[axis] * array.elementBytes();
  return {reinterpret_cast<uintptr_t>(array.data), array.elementBytes(), llvm::ArrayRef(array.shape, array.rank),
          llvm::ArrayRef(strides, array.rank)};
}

// Where two arrays meet, from the first byte of `array`.
std::string sharedBytes(const ArrayValue &array, const ArrayValue &other) {
  int64_t begin = std::max(array.data, other.data) - array.data, end = std::min(array.end(), other.end()) - array.data;
  return "between bytes " + std::to_string(begin) + " and " + std::to_string(end) + " of its " +
         std::to_string(array.end() - array.data);
}

} // namespace

size_t Launcher::KeyHash::operator()(const std::vector<uint64_t> &key) const {
  return llvm::xxh3_64bits(
      llvm::ArrayRef(reinterpret_cast<const uint8_t *>(key.data()), key.size() * sizeof(uint64_t)));
}

Launcher::Launcher(std::string name, nb::sequence records, nb::callable specialize, bool takesLaunch)
    : name(std::move(name)), specialize(std::move(specialize)), takesLaunch(takesLaunch) {
  for (nb::handle record : records)
    parameters.emplace_back(record);
}

Launcher::ParameterSource::Kind Launcher::sourceKind(llvm::StringRef name) {
  return llvm::StringSwitch<ParameterSource::Kind>(name)
      .Case("pointer", ParameterSource::Pointer)
      .Case("shape", ParameterSource::Shape)
      .Case("stride", ParameterSource::Stride)
      .Case("table", ParameterSource::Table)
      .Case("length", ParameterSource::Length)
      .Default(ParameterSource::Scalar);
}

ArgumentList::Leaf::Kind Launcher::ParameterSource::leaf() const {
  switch (kind) {
  case Pointer:
  case Shape:
  case Stride:
    return ArgumentList::Leaf::Array;
  case Scalar:
    return ArgumentList::Leaf::Scalar;
  case Table:
  case Length:
    return ArgumentList::Leaf::List;
  }
  llvm_unreachable("all kinds are listed");
}

std::shared_ptr<Launcher::Specialization> Launcher::find(ArgumentList &list, PyObject *args, const Grid *grid) {
  if (hasBuckets)
    list.addBucket();
  if (last && llvm::ArrayRef(lastKey) == list.key())
    return last;
  auto known = specializations.find(list.key().vec());
  if (known == specializations.end() && hasBuckets)
    known = specializations.find(list.keyOfAllBuckets().vec());
  std::shared_ptr<Specialization> result;
  if (known != specializations.end()) {
    result = known->second;
  } else {
    result = specializeFor(list, args, grid);
    if (result->isForBucket) {
      hasBuckets = true;
      list.addBucket();
    }
    specializations[(result->isForBucket ? list.key() : list.keyOfAllBuckets()).vec()] = result;
  }
  lastKey = list.key().vec();
  return last = result;
}

Launcher::ParameterSource Launcher::readSource(nb::handle record, const ArgumentList &list, PyObject *args) const {
  const ArgumentList::Leaf &leaf = list.leaves[leafAtPath(parameters, args, record.attr("argument"))];
  ParameterSource source{sourceKind(nb::cast<std::string>(record.attr("kind"))), nb::cast<uint8_t>(record.attr("axis")),
                         leaf.index};
  if (leaf.kind != source.leaf())
    raise(PyExc_RuntimeError, name + ": the front end's entry parameters do not match its arguments");
  return source;
}

std::shared_ptr<Launcher::Specialization> Launcher::specializeFor(const ArgumentList &list, PyObject *args,
                                                                  const Grid *grid) {
  nb::object device = list.device == inHostMemory ? nb::none() : nb::object(nb::int_(list.device));
  nb::object extents = grid ? nb::object(nb::make_tuple(grid->x, grid->y, grid->z)) : nb::none();
  nb::tuple specs = makeSpecs(list, parameters, args);
  nb::object made = takesLaunch
                        ? specialize(specs, device, makeBucket(list, parameters, args), extents, nb::handle(args))
                        : specialize(specs, device);
  auto result = std::make_shared<Specialization>();
  result->isForBucket = takesLaunch && nb::cast<bool>(made[2]);
  result->code = nb::cast<LoadedEntry>(made[0]);
  const std::vector<EntryParameter> &entry = result->code.info->parameters;
  for (nb::handle record : made[1]) {
    ParameterSource source = readSource(record, list, args);
    size_t position = result->sources.size();
    result->sources.push_back(source);
    if (nb::hasattr(record, "divisor"))
      result->assumptions.push_back({static_cast<uint16_t>(position), nb::cast<int64_t>(record.attr("divisor")),
                                     nb::cast<int64_t>(record.attr("least")), nb::cast<int64_t>(record.attr("most"))});
    if (position < entry.size() && entry[position].written)
      (source.kind == ParameterSource::Table ? result->writtenLists : result->written).push_back(source.index);
    else if (source.kind == ParameterSource::Pointer && !list.firstSame.empty() &&
             list.firstSame[source.index] != source.index &&
             llvm::is_contained(result->written, list.firstSame[source.index]))
      result->written.push_back(source.index); // under the other's name
  }
  if (!entry.empty() && entry.size() != result->sources.size())
    raise(PyExc_RuntimeError, name + ": the compiled entry has " + std::to_string(entry.size()) +
                                  " parameters, the front end says " + std::to_string(result->sources.size()));
  return result;
}

// An array that the kernel stores to; index of ArgumentList::anyArray.
void Launcher::checkWritten(const ArgumentList &list, size_t index) const {
  const ArrayValue &array = list.anyArray(index);
  auto fail = [&](const std::string &what) {
    raise(PyExc_ValueError, name + ": argument '" + list.nameOfAnyArray(index) + "' " + what);
  };
  // One of its names may be.
  if (array.readOnly &&
      llvm::none_of(list.arrays, [&](const ArrayValue &other) { return !other.readOnly && array.isSameMemory(other); }))
    fail("is read-only, but the kernel writes it; pass a writable array");
  int64_t strides[maxRank], otherStrides[maxRank];
  if (!array.isContiguous() && overlapsItself(toBytes(array, strides)))
    fail("overlaps itself (several elements share memory), but the kernel writes it; pass a copy");
  char *end = array.end();
  for (size_t i = 0, size = list.arrays.size() + list.listArrays.size(); i < size; ++i) {
    const ArrayValue &other = list.anyArray(i);
    if (i == index || other.data >= end || array.data >= other.end())
      continue;
    if (array.isSameMemory(other) || !overlap(toBytes(array, strides), toBytes(other, otherStrides)))
      continue;
    fail("shares memory with argument '" + list.nameOfAnyArray(i) + "', but the kernel writes it (they meet " +
         sharedBytes(array, other) + "); pass a copy, or the same array for both: equal address, shape and strides");
  }
}

void Launcher::checkMemory(const ArgumentList &list, const Specialization &specialization) const {
  for (uint16_t index : specialization.written)
    checkWritten(list, index);
  for (uint16_t index : specialization.writtenLists)
    for (size_t i = 0; i < list.lists[index].count; ++i)
      checkWritten(list, list.arrays.size() + list.lists[index].first + i);
}

std::vector<interpreter::CheckedArray> Launcher::describeArrays(const ArgumentList &list,
                                                                const Specialization &specialization) const {
  std::vector<interpreter::CheckedArray> result;
  for (size_t i = 0, size = list.arrays.size() + list.listArrays.size(); i < size; ++i) {
    const ArrayValue &array = list.anyArray(i);
    int64_t strides[maxRank];
    StridedArray bytes = toBytes(array, strides);
    interpreter::CheckedArray &described = result.emplace_back();
    described.name = list.nameOfAnyArray(i);
    described.address = bytes.data;
    described.elementBytes = bytes.elementBytes;
    described.shape.assign(bytes.shape.begin(), bytes.shape.end());
    described.byteStrides.assign(bytes.byteStrides.begin(), bytes.byteStrides.end());
    described.writable = !array.readOnly;
    described.isWritten = llvm::is_contained(specialization.written, i);
    for (size_t first = 0; first <= i; ++first)
      if (list.anyArray(first).isSameMemory(array)) {
        described.aliasGroups.push_back(list.nameOfAnyArray(first));
        break;
      }
  }
  // The tables through which a kernel finds the arrays of a list.
  if (!list.tables.empty()) {
    interpreter::CheckedArray &table = result.emplace_back();
    table.name = "the table of a list";
    table.address = reinterpret_cast<uintptr_t>(list.tables.data());
    table.elementBytes = 8;
    table.shape = {static_cast<int64_t>(list.tables.size())};
    table.byteStrides = {8};
    table.writable = false;
  }
  return result;
}

void Launcher::checkAssumptions(llvm::ArrayRef<int64_t> values, const Specialization &specialization) const {
  for (const Assumption &assumption : specialization.assumptions) {
    int64_t value = values[assumption.parameter];
    bool isPointer = specialization.sources[assumption.parameter].kind == ParameterSource::Pointer;
    std::string expected;
    if (value % assumption.divisor != 0)
      expected = "a multiple of " + std::to_string(assumption.divisor);
    else if (!isPointer && value < assumption.least)
      expected = "at least " + std::to_string(assumption.least);
    else if (!isPointer && value > assumption.most)
      expected = "at most " + std::to_string(assumption.most);
    else
      continue;
    raise(PyExc_ValueError, name + ": argument '" + parameters[assumption.parameter].name + "' is " +
                                (isPointer ? "at address " : "") + std::to_string(value) + ", expected " + expected +
                                ", which the module assumes");
  }
}

// The values of the entry's parameters.
void Launcher::fill(const ArgumentList &list, const Specialization &specialization,
                    llvm::MutableArrayRef<int64_t> values) const {
  for (size_t i = 0; i < values.size(); ++i) {
    const ParameterSource &source = specialization.sources[i];
    switch (source.kind) {
    case ParameterSource::Pointer:
      values[i] = reinterpret_cast<int64_t>(list.arrays[source.index].data);
      break;
    case ParameterSource::Shape:
      values[i] = list.arrays[source.index].shape[source.axis];
      break;
    case ParameterSource::Stride:
      values[i] = list.arrays[source.index].strides[source.axis];
      break;
    case ParameterSource::Scalar:
      values[i] = static_cast<int64_t>(list.scalars[source.index]);
      break;
    case ParameterSource::Table: {
      const ListValue &value = list.lists[source.index];
      const int64_t *table = &list.tables[value.table];
      size_t words = value.count * (1 + 2 * list.listArrays[value.first].rank);
      auto *gpu = specialization.code.get<session::GpuCode>();
      values[i] = gpu ? static_cast<int64_t>(valueOrRaise(gpu->executable->getDevice().tableFor({table, words})))
                      : reinterpret_cast<int64_t>(table);
      break;
    }
    case ParameterSource::Length:
      values[i] = static_cast<int64_t>(list.lists[source.index].count);
      break;
    }
  }
}

std::shared_ptr<Launcher::Specialization> Launcher::read(ArgumentList &list, nb::handle args, nb::handle stream,
                                                         const Grid *grid, int device) {
  list.read(name, parameters, args.ptr());
  if (device != inHostMemory)
    list.moveTo(device);
  list.findSame();
  list.findLike();
  if (!list.numArrays() && isStreamObject(stream))
    list.device = 0; // nothing else says where
  return find(list, args.ptr(), grid);
}

bool Launcher::prepare(nb::handle args, nb::handle stream, nb::handle gridValue) {
  std::optional<Grid> grid;
  if (!gridValue.is_none())
    grid = readGrid(name, gridValue);
  ArgumentList list;
  return read(list, args, stream, grid ? &*grid : nullptr)->code.isOnGpu() && list.device != inHostMemory;
}

std::optional<double> Launcher::time(nb::handle grid, nb::handle args, nb::handle stream, bool isCacheCold,
                                     double limit, LaunchProfile *profile) {
  Grid extents = readGrid(name, grid);
  ArgumentList list;
  std::shared_ptr<Specialization> specialization = read(list, args, stream, &extents);
  if (auto *gpu = specialization->code.get<session::GpuCode>(); gpu && list.device != inHostMemory) {
    cuda::Stopwatch stopwatch(gpu->executable->getDevice(), readStream(name, stream, list));
    if (llvm::Error error = stopwatch.begin(isCacheCold))
      raiseDriverError(std::move(error));
    launch(grid, args, stream, /*dependent=*/false, profile);
    if (llvm::Error error = stopwatch.end())
      raiseDriverError(std::move(error));
    auto seconds = [&] {
      nb::gil_scoped_release release;
      return stopwatch.seconds(limit);
    }();
    return valueOrRaise(std::move(seconds));
  }
  auto start = std::chrono::steady_clock::now();
  launch(grid, args, stream, /*dependent=*/false, profile);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Launcher::launch(nb::handle gridValue, nb::handle args, nb::handle stream, bool dependent,
                      LaunchProfile *profile) {
  Grid grid = readGrid(name, gridValue);
  ArgumentList list;
  std::shared_ptr<Specialization> specialization = read(list, args, stream, &grid);
  checkMemory(list, *specialization);
  bool isOnGpu = specialization->code.isOnGpu(), staged = isStaged(list, *specialization);
  cuda::LaunchOptions options;
  options.profile = profile;
  if (isOnGpu != staged)
    options.stream = readStream(name, stream, list);
  if (isOnGpu && !staged) {
    options.dependent = dependent;
    options.wait = list.device == inHostMemory; // the host asked, and knows of no stream
  }
  launchRead(list, *specialization, grid, options);
}

bool Launcher::isStaged(const ArgumentList &list, const Specialization &specialization) const {
  return list.numArrays() && specialization.code.isOnGpu() != (list.device != inHostMemory);
}

void Launcher::launchRead(ArgumentList &list, const Specialization &specialization, Grid grid,
                          const cuda::LaunchOptions &options) {
  if (isStaged(list, specialization))
    launchStaged(list, specialization, grid, options);
  else
    launchPrepared(list, specialization, grid, options);
}

void Launcher::launchPrepared(const ArgumentList &list, const Specialization &specialization, Grid grid,
                              const cuda::LaunchOptions &options) {
  llvm::SmallVector<int64_t, 48> values;
  llvm::SmallVector<void *, 48> pointers;
  values.resize_for_overwrite(specialization.sources.size());
  pointers.resize_for_overwrite(specialization.sources.size());
  fill(list, specialization, values);
  for (size_t i = 0; i < values.size(); ++i)
    pointers[i] = &values[i]; // little endian: narrower types are at the front
  checkAssumptions(values, specialization);

  launchEntry(name, specialization.code, pointers, grid, options, [&] { return describeArrays(list, specialization); });
}

bool Launcher::isWritten(const ArgumentList &list, const Specialization &specialization, size_t array) const {
  if (array < list.arrays.size())
    return llvm::is_contained(specialization.written, array);
  array -= list.arrays.size();
  return llvm::any_of(specialization.writtenLists, [&](uint16_t index) {
    const ListValue &value = list.lists[index];
    return array >= value.first && array < value.first + value.count;
  });
}

void Launcher::launchStaged(ArgumentList &list, const Specialization &specialization, Grid grid,
                            cuda::LaunchOptions options) {
  auto *gpu = specialization.code.get<session::GpuCode>();
  cuda::Device &device = gpu ? gpu->executable->getDevice() : deviceOrRaise(list.device);
  options.wait = true;
  // The stream's pending work comes before the copies, which wait for no stream.
  if (!gpu && !device.synchronize(options.stream))
    raise(PyExc_RuntimeError, name + ": the stream of its arrays cannot be waited for");
  StagedArguments staged(list, device, gpu ? cuda::Staging::To::Device : cuda::Staging::To::Host,
                         [&](size_t array) { return isWritten(list, specialization, array); });
  launchPrepared(list, specialization, grid, options);
  staged.finish();
}

nb::tuple Launcher::specs(nb::handle args) {
  ArgumentList list;
  list.read(name, parameters, args.ptr());
  return makeSpecs(list, parameters, args.ptr());
}

nb::tuple Launcher::bucket(nb::handle args) {
  ArgumentList list;
  list.read(name, parameters, args.ptr());
  return makeBucket(list, parameters, args.ptr());
}

std::vector<int64_t> Launcher::values(nb::handle args, nb::handle records) {
  ArgumentList list;
  list.read(name, parameters, args.ptr());
  Specialization bare;
  for (nb::handle record : records)
    bare.sources.push_back(readSource(record, list, args.ptr()));
  std::vector<int64_t> values(bare.sources.size());
  fill(list, bare, values);
  return values;
}

std::optional<int> Launcher::device(nb::handle args) {
  ArgumentList list;
  list.read(name, parameters, args.ptr());
  return list.device == inHostMemory ? std::nullopt : std::optional(std::max(0, list.device));
}

} // namespace tilewright::python
