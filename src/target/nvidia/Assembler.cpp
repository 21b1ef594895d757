// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Assembler.h"

#include "options/Environment.h"
#include "support/ChildProcess.h"
#include "target/nvidia/Toolkits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <dlfcn.h>

using namespace llvm;

namespace tilewright::nvidia {
namespace {

using Kind = Assembler::Kind;

constexpr StringLiteral libraryStem = "libnvJitLink", driverName = "driver";

Kind kindOf(StringRef path) {
  if (path == driverName)
    return Kind::Driver;
  return sys::path::filename(path).starts_with(libraryStem) ? Kind::NvJitLink : Kind::Ptxas;
}

class Finder {
public:
  // A program in this folder, or the newest of the libraries there.
  void lookIn(Kind kind, const Twine &folder) {
    SmallString<128> path;
    if (kind == Kind::Ptxas) {
      sys::path::append(path, folder, "ptxas");
      if (sys::fs::can_execute(path))
        add(kind, path.str().str());
      return;
    }
    std::string newest;
    std::error_code code;
    for (sys::fs::directory_iterator file(folder, code), end; !code && file != end; file.increment(code)) {
      StringRef name = sys::path::filename(file->path());
      if (name.starts_with(libraryStem) && name.contains(".so"))
        newest = std::max(newest, file->path());
    }
    if (!newest.empty())
      add(kind, newest);
  }

  void add(Kind kind, std::string path) {
    if (llvm::none_of(found, [&](const Assembler &known) { return known.path == path; }))
      found.push_back({kind, std::move(path)});
  }

  std::vector<Assembler> found;
};

void findLibraries(const AssemblerSearch &search, Finder &finder) {
  for (const std::string &packages : search.packages)
    for (const char *folder : {"/nvidia/cu13/lib", "/nvidia/nvjitlink/lib"})
      finder.lookIn(Kind::NvJitLink, packages + folder);
  for (const std::string &toolkit : toolkits())
    finder.lookIn(Kind::NvJitLink, toolkit + "/lib64");
  for (const char *name : {"libnvJitLink.so.13", "libnvJitLink.so.12"})
    if (void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
      dlclose(library);
      finder.add(Kind::NvJitLink, name);
    }
}

void findPrograms(const AssemblerSearch &search, Finder &finder) {
  if (auto path = sys::findProgramByName("ptxas"))
    finder.add(Kind::Ptxas, *path);
  for (const std::string &toolkit : toolkits())
    finder.lookIn(Kind::Ptxas, toolkit + "/bin");
  for (const std::string &packages : search.packages)
    for (const char *folder : {"/nvidia/cu13/bin", "/nvidia/cuda_nvcc/bin", "/triton/backends/nvidia/bin"})
      finder.lookIn(Kind::Ptxas, packages + folder);
}

} // namespace

std::vector<Assembler> findAssemblers(const AssemblerSearch &search) {
  std::string wanted = search.path.empty() ? environmentText("TILEWRIGHT_ASSEMBLER") : search.path;
  if (!wanted.empty())
    return {{kindOf(wanted), std::move(wanted)}};
  AssemblerSearch everywhere = search;
  llvm::append_range(everywhere.packages, neighbours());
  Finder finder;
  findLibraries(everywhere, finder);
  findPrograms(everywhere, finder);
  if (search.driver)
    finder.add(Kind::Driver, driverName.str());
  return std::move(finder.found);
}

std::string identifyAssemblers(const AssemblerSearch &search) {
  std::string text;
  for (const Assembler &assembler : findAssemblers(search)) {
    std::string path = assembler.path;
    // One that the system's loader knows by name: where that is.
    if (assembler.kind == Kind::NvJitLink && !sys::path::has_parent_path(path))
      if (void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
        Dl_info info;
        if (void *symbol = dlsym(library, "nvJitLinkVersion"); symbol && dladdr(symbol, &info) && info.dli_fname)
          path = info.dli_fname;
        dlclose(library);
      }
    text += path + ' ';
    sys::fs::file_status status;
    if (!sys::fs::status(path, status))
      text +=
          std::to_string(status.getSize()) + ' ' + std::to_string(sys::toTimeT(status.getLastModificationTime())) + ' ';
  }
  return text;
}

AssemblerRun runPtxas(const std::string &path, StringRef ptx, StringRef architecture, ArrayRef<std::string> arguments,
                      std::chrono::milliseconds time) {
  // Its standard streams are files in memory, so nothing is written to a disk.
  std::vector<std::string> words = {"-arch=" + architecture.str(), "/dev/stdin", "-o", "/dev/stdout"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.input = ptx;
  options.time = time;
  auto process = runProcess(path, words, options);
  AssemblerRun run;
  if (!process) {
    run.end = AssemblerRun::End::Unusable;
    run.log = toString(process.takeError());
    return run;
  }
  run.log = std::move(process->error);
  run.cubin = std::move(process->output);
  switch (process->end) {
  case ProcessResult::End::Exited:
    if (process->status != 0)
      run.end = AssemblerRun::End::Refused;
    break;
  case ProcessResult::End::Killed:
    run.end = AssemblerRun::End::Unusable;
    run.log = "it was killed by signal " + std::to_string(process->status);
    break;
  case ProcessResult::End::Stopped:
  case ProcessResult::End::Late:
    run.end = AssemblerRun::End::Stopped;
    break;
  }
  return run;
}

} // namespace tilewright::nvidia
