// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Cubin.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/VersionTuple.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

std::string describe(const Assembler &assembler) {
  switch (assembler.kind) {
  case Assembler::Kind::NvJitLink:
    return "nvJitLink " + assembler.path;
  case Assembler::Kind::Ptxas:
    return "ptxas " + assembler.path;
  case Assembler::Kind::Driver:
    return "the CUDA driver";
  }
  llvm_unreachable("a kind of assembler");
}

// The directive of that name in PTX, as in ".version 8.6".
StringRef directive(StringRef ptx, StringRef name) {
  size_t at = ptx.find(name);
  return at == StringRef::npos ? "" : ptx.substr(at + name.size()).ltrim(' ').take_until([](char c) {
    return isspace(static_cast<unsigned char>(c));
  });
}

// The first CUDA release that reads this version of PTX.
StringRef releaseOf(StringRef ptx) {
  PtxVersion version;
  auto [major, minor] = ptx.split('.');
  (void)(major.getAsInteger(10, version.major) || minor.getAsInteger(10, version.minor));
  return version.cudaRelease();
}

StringRef lineOf(StringRef text, unsigned number) {
  for (; number > 1 && !text.empty(); --number)
    text = text.split('\n').second;
  return text.split('\n').first.trim();
}

// Why an assembler cannot take any PTX of this version or architecture, with what would; nothing if that is not it.
std::string explainAge(StringRef log, StringRef ptx, const Architecture &architecture, const Assembler &assembler) {
  constexpr StringLiteral fix = "; pip install -U nvidia-nvjitlink has the newest, TILEWRIGHT_ASSEMBLER names another";
  SmallVector<StringRef> parts;
  if (Regex("Unsupported \\.version ([0-9.]+); current version is '([0-9.]+)'").match(log, &parts))
    return (describe(assembler) + " is too old: it reads PTX up to " + parts[2] + ", the code for " +
            architecture.name + " is PTX " + parts[1] + ", which CUDA " + releaseOf(parts[1]) + " and later read" + fix)
        .str();
  if (log.contains("is not defined for option 'gpu-name'"))
    return (describe(assembler) + " is too old: it does not know " + architecture.name + fix).str();
  return "";
}

// The first error of a log in our words, with the line of PTX it is about.
std::string explainError(StringRef log, StringRef ptx, const Architecture &architecture, const Assembler &assembler) {
  std::string head = (describe(assembler) + " refused the PTX for " + architecture.name).str();
  SmallVector<StringRef> lines, parts;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    unsigned number;
    if (Regex(", line ([0-9]+); *(error|fatal) *: *(.*)$").match(line, &parts) && !parts[1].getAsInteger(10, number)) {
      StringRef source = lineOf(ptx, number);
      std::string quoted = source.empty() ? "" : (", '" + source.take_front(120) + "'").str();
      return (head + " at line " + parts[1] + quoted + ": " + parts[3]).str();
    }
    if (Regex("^ptxas +(error|fatal) *: *(.*)$").match(line, &parts) && !line.contains("aborted due to errors"))
      return (head + ": " + parts[2]).str();
  }
  StringRef first = log.trim().split('\n').first;
  return head + ": " + (first.empty() ? "it gave no reason" : first.str());
}

std::string adviceIn(StringRef log) {
  std::string advice;
  SmallVector<StringRef> lines, parts;
  log.split(lines, '\n');
  for (StringRef line : lines)
    // Losses of speed are "info" with a number, as in (C7515).
    if (Regex("^ptxas .*(warning|info) *: *(\\(C[0-9]+\\).*)$").match(line, &parts) ||
        Regex("^ptxas .*(warning) *: *(.*)$").match(line, &parts))
      advice += ("warning: ptxas: " + parts[2] + "\n").str();
  return advice;
}

// In the order to try them. nvJitLink makes code that could be linked with other code, whatever its options: there
// setmaxnreg is ignored (advice C7504), and with it what a kernel of producers and consumers is built on, and wgmma is
// waited for at once (C7509): 411 TFLOP/s of attention in place of 606. ptxas and the driver keep both.
std::vector<Assembler> assemblersFor(StringRef ptx, const CubinOptions &options) {
  std::vector<Assembler> assemblers = findAssemblers(options.search);
  if (ptx.contains("setmaxnreg") || ptx.contains("wgmma") || options.checkAccesses)
    std::stable_partition(assemblers.begin(), assemblers.end(),
                          [](const Assembler &assembler) { return assembler.kind != Assembler::Kind::NvJitLink; });
  return assemblers;
}

// Leaves the PTX as it is: the driver assembles it when it is loaded (cuda::GpuExecutable), with ptxas's messages.
AssemblerRun leaveToDriver(StringRef ptx, const CubinOptions &options) {
  AssemblerRun run;
  int driver = options.search.driver;
  VersionTuple own(driver / 1000, driver % 1000 / 10), needed;
  StringRef version = directive(ptx, ".version"), release = releaseOf(version);
  needed.tryParse(release);
  if (options.checkAccesses)
    run.log = "it makes no code for compute-sanitizer, expected ptxas";
  else if (!driver)
    run.log = "it assembles for launches only and writes no file, expected libnvJitLink or ptxas";
  else if (own < needed)
    run.log = "it is of CUDA " + own.getAsString() + " and reads no PTX " + version.str() + ", which CUDA " +
              release.str() + " and later read; pip install nvidia-nvjitlink has an assembler";
  run.end = run.log.empty() ? AssemblerRun::End::Done : AssemblerRun::End::Unusable;
  run.cubin = ptx;
  return run;
}

AssemblerRun run(const Assembler &assembler, StringRef ptx, const Architecture &architecture,
                 const CubinOptions &options) {
  if (assembler.kind == Assembler::Kind::Driver)
    return leaveToDriver(ptx, options);
  std::vector<std::string> arguments = {"-v"};
  if (options.debugInfo == DebugInfo::Lines)
    arguments.push_back("-lineinfo");
  if (options.debugInfo == DebugInfo::Full)
    arguments.push_back("-g");
  if (!options.optimize)
    arguments.push_back("-O0");
  if (options.largeShared)
    arguments.push_back("--enable-extended-smem=true");
  if (options.checkAccesses)
    arguments.push_back("-sanitize=memcheck");
  return assembler.kind == Assembler::Kind::NvJitLink
             ? runNvJitLink(assembler.path, ptx, architecture.name, arguments)
             : runPtxas(assembler.path, ptx, architecture.name, arguments, options.time);
}

} // namespace

char RefusedPtx::ID = 0;

std::string explainRefusal(StringRef log, StringRef ptx, const Architecture &architecture, const Assembler &assembler) {
  std::string age = explainAge(log, ptx, architecture, assembler);
  return age.empty() ? explainError(log, ptx, architecture, assembler) : age;
}

Expected<Cubin> assembleCubin(StringRef ptx, const Architecture &architecture, const CubinOptions &options) {
  using End = AssemblerRun::End;
  // nvJitLink's own words for this would be about a type of input.
  if (directive(ptx, ".version").empty())
    return createStringError("the text to assemble is no PTX, expected a directive .version");

  std::string tooOld, unusable;
  for (const Assembler &assembler : assemblersFor(ptx, options)) {
    AssemblerRun result = run(assembler, ptx, architecture, options);
    switch (result.end) {
    case End::Done: {
      if (assembler.kind == Assembler::Kind::Driver)
        return Cubin{std::move(result.cubin), assembler, {}, ""};
      auto file = readCubin(result.cubin);
      if (!file) {
        unusable = describe(assembler) + " cannot be used: it wrote no cubin (" + toString(file.takeError()) + ")";
        continue;
      }
      readResources(result.log, file->kernels);
      return Cubin{std::move(result.cubin), assembler, std::move(file->kernels), adviceIn(result.log)};
    }
    case End::Stopped:
      return createStringError(describe(assembler) + " was stopped, it did not come to an end in time");
    case End::Unusable:
      unusable = describe(assembler) + " cannot be used: " + StringRef(result.log).trim().split('\n').first.str();
      continue;
    case End::Refused:
      std::string age = explainAge(result.log, ptx, architecture, assembler);
      if (age.empty())
        return make_error<RefusedPtx>(explainError(result.log, ptx, architecture, assembler));
      tooOld = std::move(age);
      continue;
    }
  }
  if (!tooOld.empty())
    return createStringError(tooOld);
  if (!unusable.empty())
    return createStringError(unusable);
  return createStringError(
      "no assembler of PTX found, expected libnvJitLink or ptxas (pip install nvidia-nvjitlink, or "
      "a CUDA toolkit); TILEWRIGHT_ASSEMBLER names one elsewhere, --emit=ptx needs none");
}

} // namespace tilewright::nvidia
