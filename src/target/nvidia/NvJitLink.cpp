// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Assembler.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <dlfcn.h>
#include <mutex>

using namespace llvm;

namespace tilewright::nvidia {
namespace {

// The part of the library's C interface that is used here, from its documentation (docs.nvidia.com/cuda/nvjitlink).
// Every function is there under a name for each release of its major version, since the first, 12.0.
struct Library {
  using Handle = void *;
  using Size = int (*)(Handle, size_t *);
  using Get = int (*)(Handle, char *);

  int (*create)(Handle *, uint32_t, const char **);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int, const void *, size_t, const char *);
  int (*complete)(Handle);
  Size cubinSize, errorLogSize, infoLogSize;
  int (*cubin)(Handle, void *);
  Get errorLog, infoLog;
};

constexpr int inputIsPtx = 2;
constexpr unsigned majors[] = {13, 12, 14, 15};

Expected<Library> load(const std::string &path) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError(dlerror());
  for (unsigned major : majors) {
    bool isComplete = true;
    auto get = [&](auto &function, const char *name) {
      std::string symbol = ("__nvJitLink" + Twine(name) + "_" + Twine(major) + "_0").str();
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, symbol.c_str()));
      isComplete &= function != nullptr;
    };
    Library library;
    get(library.create, "Create");
    get(library.destroy, "Destroy");
    get(library.addData, "AddData");
    get(library.complete, "Complete");
    get(library.cubinSize, "GetLinkedCubinSize");
    get(library.cubin, "GetLinkedCubin");
    get(library.errorLogSize, "GetErrorLogSize");
    get(library.errorLog, "GetErrorLog");
    get(library.infoLogSize, "GetInfoLogSize");
    get(library.infoLog, "GetInfoLog");
    if (isComplete)
      return library;
  }
  dlclose(handle);
  return createStringError("it has no functions of nvJitLink 12 to 15");
}

// Loaded once and never closed: code of it may still run on a thread that was left behind.
Expected<Library> loadOnce(const std::string &path) {
  static std::mutex mutex;
  static auto *loaded = new StringMap<Library>;
  std::lock_guard<std::mutex> lock(mutex);
  auto known = loaded->find(path);
  if (known != loaded->end())
    return known->second;
  auto library = load(path);
  if (library)
    (*loaded)[path] = *library;
  return library;
}

std::string readLog(Library::Handle link, Library::Size size, Library::Get get) {
  size_t bytes = 0;
  if (size(link, &bytes) != 0 || bytes == 0)
    return "";
  std::string text(bytes, '\0');
  if (get(link, text.data()) != 0)
    return "";
  text.resize(strnlen(text.data(), bytes)); // the size counts the zero at its end
  return text;
}

} // namespace

AssemblerRun runNvJitLink(const std::string &path, StringRef ptx, StringRef architecture,
                          ArrayRef<std::string> arguments) {
  AssemblerRun run;
  auto library = loadOnce(path);
  if (!library) {
    run.end = AssemblerRun::End::Unusable;
    run.log = toString(library.takeError());
    return run;
  }
  // Without its cache: PTX that it has seen comes back without the log that says a kernel's registers (13.0).
  std::vector<std::string> words = {"-arch=" + architecture.str(), "-no-cache"};
  for (const std::string &argument : arguments)
    words.push_back("-Xptxas=" + argument);
  std::vector<const char *> options;
  for (const std::string &word : words)
    options.push_back(word.c_str());

  Library::Handle link = nullptr;
  if (library->create(&link, options.size(), options.data()) != 0) {
    // There is no log without a handle. All options but the architecture are always legal.
    run.end = AssemblerRun::End::Refused;
    run.log = "Value '" + architecture.str() + "' is not defined for option 'gpu-name'";
    return run;
  }
  std::string text = ptx.str(); // ends with a zero
  bool isDone =
      library->addData(link, inputIsPtx, text.data(), text.size(), "ptx") == 0 && library->complete(link) == 0;
  size_t size = 0;
  if (isDone && library->cubinSize(link, &size) == 0) {
    run.cubin.resize(size);
    isDone = library->cubin(link, run.cubin.data()) == 0;
  }
  run.log =
      readLog(link, library->errorLogSize, library->errorLog) + readLog(link, library->infoLogSize, library->infoLog);
  if (!isDone || run.cubin.empty())
    run.end = AssemblerRun::End::Refused;
  library->destroy(&link);
  return run;
}

} // namespace tilewright::nvidia
