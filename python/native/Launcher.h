// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as the launcher sees it: its parameters, and one compiled specialization per key of arguments.
#ifndef TILEWRIGHT_PYTHON_NATIVE_LAUNCHER_H
#define TILEWRIGHT_PYTHON_NATIVE_LAUNCHER_H

#include "Arguments.h"
#include "interpreter/check/Checker.h"
#include "session/Launch.h"
#include <functional>
#include <memory>
#include <unordered_map>

namespace tilewright::python {

// Options of the interpreter and of plans.
struct InterpretOptions {
  int64_t stepLimit = 0; // the usual one
  bool check = false;    // or TILEWRIGHT_CHECK says so
  // The arrays behind the pointers, for checked mode.
  std::function<std::vector<interpreter::CheckedArray>()> arrays;
  // Of plans: schedules for each block, 0 for the usual number.
  int64_t schedules = 0;
  uint64_t seed = 0;
  std::string *note = nullptr; // which schedules there were
};

using session::LoadedEntry;

// The entry, or the exception that an error of loading it is: ValueError for a name that is not there.
LoadedEntry entryOrRaise(llvm::Expected<LoadedEntry> entry);

// Of an entry that runs on this machine. Without the GIL, unless it is done in a few microseconds.
LaunchResult launchOnHost(const LoadedEntry &code, void **args, Grid grid, const InterpretOptions &options);

// Text of a kernel, where Python's own goes.
void showPrinted(const std::string &text);
// Shows the text of prints, then raises the failure.
void reportLaunch(const std::string &kernel, LaunchResult &result);

// A program that is interpreted: errors are Python exceptions, Ctrl-C is one.
LaunchResult interpretEntry(const LoadedEntry &code, void **args, Grid grid, const InterpretOptions &options);

// Likewise plans, of which an error says what is wrong with them.
LaunchResult runPlan(const LoadedEntry &code, void **args, Grid grid, const InterpretOptions &options);

// Lets Ctrl-C, and whatever other signal handlers raise, end a launch.
class Signals {
public:
  llvm::Error check();
  void rethrow();

private:
  std::optional<nanobind::python_error> raised;
};
// An exception of tilewright.errors.
[[noreturn]] void raiseError(const char *type, llvm::StringRef text);
// TILEWRIGHT_STEP_LIMIT: operations that a launch may execute if nobody says otherwise.
int64_t usualStepLimit();

class Launcher {
public:
  // specialize(specs, device) returns (LoadedEntry, the front end's EntryParameter records); device is the number of
  // the GPU with the arrays, or None. With `knowsSame`, specs say which arrays are the same memory and the code is
  // right for that; without, such a launch is refused if one of them is written.
  Launcher(std::string name, nanobind::sequence parameters, nanobind::callable specialize, bool knowsSame);

  void launch(nanobind::handle grid, nanobind::handle args, nanobind::handle stream, bool dependent);
  nanobind::tuple specs(nanobind::handle args);
  // Compiles for these arguments, if that has not been done. True if a GPU will run it while the host goes on.
  bool prepare(nanobind::handle args, nanobind::handle stream);
  // Seconds that one launch takes: of the GPU, or of this thread where it waits for the work. None if a GPU still works
  // on it after so many seconds; 0 is no limit.
  std::optional<double> time(nanobind::handle grid, nanobind::handle args, nanobind::handle stream, bool isCacheCold,
                             double limit);
  size_t numSpecializations() const { return specializations.size(); }

private:
  // How one entry parameter is filled from the arguments.
  struct Fill {
    enum Kind : uint8_t { Pointer, Shape, Stride, Scalar, Table, Length } kind;
    uint8_t axis;
    uint16_t index; // into arrays, scalars or lists

    ArgumentList::Leaf::Kind leaf() const; // what it takes its value from
  };
  static Fill::Kind fillKind(llvm::StringRef name);
  // An assumption of the code that the key of the arguments does not cover.
  struct Assumption {
    uint16_t parameter; // of the entry
    int64_t divisor, least, most;
  };
  struct Specialization {
    LoadedEntry code;
    std::vector<Fill> fills;
    std::vector<Assumption> assumptions;
    std::vector<uint16_t> written, writtenLists; // arrays the kernel stores to
  };
  struct KeyHash {
    size_t operator()(const std::vector<uint64_t> &key) const;
  };

  std::shared_ptr<Specialization> read(ArgumentList &list, nanobind::handle args, nanobind::handle stream);
  void fill(const ArgumentList &list, const Specialization &specialization,
            llvm::MutableArrayRef<int64_t> values) const;
  bool isWritten(const ArgumentList &list, const Specialization &specialization, size_t array) const;
  // The code is on one side of the bus and the arrays on the other.
  void launchStaged(ArgumentList &list, const Specialization &specialization, Grid grid, nanobind::handle stream);
  void launchPrepared(const ArgumentList &list, const Specialization &specialization, Grid grid,
                      const cuda::LaunchOptions &options);
  std::shared_ptr<Specialization> find(const ArgumentList &list, PyObject *args);
  std::shared_ptr<Specialization> specializeFor(const ArgumentList &list, PyObject *args);
  std::vector<interpreter::CheckedArray> describeArrays(const ArgumentList &list,
                                                        const Specialization &specialization) const;
  void checkWritten(const ArgumentList &list, size_t index) const;
  void checkMemory(const ArgumentList &list, const Specialization &specialization) const;
  void checkAssumptions(llvm::ArrayRef<int64_t> values, const Specialization &specialization) const;

  std::string name;
  std::vector<ParameterInfo> parameters;
  nanobind::callable specialize;
  bool knowsSame;
  std::unordered_map<std::vector<uint64_t>, std::shared_ptr<Specialization>, KeyHash> specializations;
  std::vector<uint64_t> lastKey;
  std::shared_ptr<Specialization> last;
};

void bindLauncher(nanobind::module_ &m);
void bindDebugger(nanobind::module_ &m);
void bindPlans(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_LAUNCHER_H
