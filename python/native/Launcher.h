// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel for the launcher: its parameters, and one compiled specialization per key of arguments.
#ifndef TILEWRIGHT_PYTHON_NATIVE_LAUNCHER_H
#define TILEWRIGHT_PYTHON_NATIVE_LAUNCHER_H

#include "Launches.h"
#include "arguments/Arguments.h"
#include <memory>
#include <unordered_map>

namespace tilewright::python {

class Launcher {
public:
  // specialize(specs, device) returns (LoadedEntry, the front end's ParameterSource records); device is the number of
  // the GPU with the arrays, or None. Specs describe which arrays have the same memory, and the code has to be correct
  // for that. With `takesLaunch` it is specialize(specs, device, bucket, grid, args), with None for a grid that is not
  // known, and returns third whether the code is for launches of that shape bucket alone.
  Launcher(std::string name, nanobind::sequence parameters, nanobind::callable specialize, bool takesLaunch);

  // A profile gets when and where the blocks ran.
  void launch(nanobind::handle grid, nanobind::handle args, nanobind::handle stream, bool dependent,
              LaunchProfile *profile = nullptr);
  nanobind::tuple specs(nanobind::handle args);
  // The shape bucket: see makeBucket.
  nanobind::tuple bucket(nanobind::handle args);
  // The bits of the parameters of an entry, from the front end's records of them; nothing is compiled.
  std::vector<int64_t> values(nanobind::handle args, nanobind::handle records);
  // The number of the GPU that the arrays are on; None in host memory.
  std::optional<int> device(nanobind::handle args);
  // Compiles for these arguments, if necessary. True if launches are asynchronous, on a GPU.
  bool prepare(nanobind::handle args, nanobind::handle stream, nanobind::handle grid);
  // Seconds of one launch: of the GPU, or of this thread if the launch is synchronous. None if it has not ended on a
  // GPU after so many seconds; 0 is no limit.
  std::optional<double> time(nanobind::handle grid, nanobind::handle args, nanobind::handle stream, bool isCacheCold,
                             double limit, LaunchProfile *profile);
  const std::string &getName() const { return name; }
  size_t numSpecializations() const { return specializations.size(); }

private:
  friend class PreparedLaunch;
  // The source of the value of an entry parameter: the front end's record of the same name, with its index among the
  // arguments that were read.
  struct ParameterSource {
    enum Kind : uint8_t { Pointer, Shape, Stride, Scalar, Table, Length } kind;
    uint8_t axis;
    uint16_t index; // into arrays, scalars or lists

    ArgumentList::Leaf::Kind leaf() const; // the source of its value
  };
  static ParameterSource::Kind sourceKind(llvm::StringRef name);
  ParameterSource readSource(nanobind::handle record, const ArgumentList &list, PyObject *args) const;
  // An assumption of the code that the key of the arguments does not cover.
  struct Assumption {
    uint16_t parameter; // of the entry
    int64_t divisor, least, most;
  };
  struct Specialization {
    LoadedEntry code;
    std::vector<ParameterSource> sources;
    std::vector<Assumption> assumptions;
    std::vector<uint16_t> written, writtenLists; // arrays the kernel stores to
    bool isForBucket = false;
  };
  struct KeyHash {
    size_t operator()(const std::vector<uint64_t> &key) const;
  };

  // `device` is for arrays that are described in host memory and will be elsewhere.
  std::shared_ptr<Specialization> read(ArgumentList &list, nanobind::handle args, nanobind::handle stream,
                                       const Grid *grid, int device = inHostMemory);
  void fill(const ArgumentList &list, const Specialization &specialization,
            llvm::MutableArrayRef<int64_t> values) const;
  bool isWritten(const ArgumentList &list, const Specialization &specialization, size_t array) const;
  // The code runs on another device than that of the arrays, of which it gets copies.
  bool isStaged(const ArgumentList &list, const Specialization &specialization) const;
  void launchRead(ArgumentList &list, const Specialization &specialization, Grid grid,
                  const cuda::LaunchOptions &options);
  void launchStaged(ArgumentList &list, const Specialization &specialization, Grid grid, cuda::LaunchOptions options);
  void launchPrepared(const ArgumentList &list, const Specialization &specialization, Grid grid,
                      const cuda::LaunchOptions &options);
  std::shared_ptr<Specialization> find(ArgumentList &list, PyObject *args, const Grid *grid);
  std::shared_ptr<Specialization> specializeFor(const ArgumentList &list, PyObject *args, const Grid *grid);
  std::vector<interpreter::CheckedArray> describeArrays(const ArgumentList &list,
                                                        const Specialization &specialization) const;
  void checkWritten(const ArgumentList &list, size_t index) const;
  void checkMemory(const ArgumentList &list, const Specialization &specialization) const;
  void checkAssumptions(llvm::ArrayRef<int64_t> values, const Specialization &specialization) const;

  std::string name;
  std::vector<Parameter> parameters;
  nanobind::callable specialize;
  bool takesLaunch;
  bool hasBuckets = false; // some code is for the launches of one shape bucket
  std::unordered_map<std::vector<uint64_t>, std::shared_ptr<Specialization>, KeyHash> specializations;
  std::vector<uint64_t> lastKey;
  std::shared_ptr<Specialization> last;
};

void bindLauncher(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_LAUNCHER_H
