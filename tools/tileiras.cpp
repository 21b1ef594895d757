// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the place of NVIDIA's tool of the same name: the options, exit statuses and outputs are that tool's. Kernels have
// the portable launch ABI. Nothing is cached.
#include "PreviewOption.h"
#include "cuda_tile/bytecode/Bytecode.h"
#include "options/Environment.h"
#include "pipeline/Pipeline.h"
#include "target/nvidia/Libdevice.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

namespace {

enum ExitStatus { Usage = 1, BadOption = 2, BadInput = 3, Failed = 5 };
enum class HostArch { Any, X86, Arm };
enum class HostOs { Any, Linux, Windows };

// By number; its names are the compiler's table.
enum class Gpu : unsigned { None };

cl::OptionCategory category("TileIR Assembler Options");
cl::OptionCategory remarkCategory("TileIR Assembler Remark Options", "Filter remarks by category.");

cl::opt<std::string> input(cl::Positional, cl::desc("<tile bytecode file>"), cl::cat(category));
cl::opt<std::string> output("output-file", cl::desc("Specify name of output file."), cl::value_desc("file"),
                            cl::init("elf.o"), cl::cat(category));
cl::alias outputAlias("o", cl::desc("Alias for --output-file"), cl::aliasopt(output), cl::NotHidden, cl::cat(category));
cl::opt<Gpu> gpu("gpu-name", cl::desc("Specify name of NVIDIA GPU to generate code for."), cl::init(Gpu::None),
                 cl::cat(category));
cl::alias gpuAlias("arch", cl::desc("Alias for --gpu-name"), cl::aliasopt(gpu), cl::NotHidden, cl::cat(category));
cl::opt<int> optLevel("opt-level", cl::desc("Specify optimization level. Default Value: 3."), cl::value_desc("N"),
                      cl::init(3), cl::cat(category));
cl::alias optAlias("O", cl::desc("Alias for --opt-level"), cl::aliasopt(optLevel), cl::NotHidden, cl::AlwaysPrefix,
                   cl::cat(category));
cl::opt<bool> deviceDebug("device-debug", cl::desc("Generate debug information (if present in the input bytecode)"),
                          cl::cat(category));
cl::alias debugAlias("g", cl::desc("Alias for --device-debug"), cl::aliasopt(deviceDebug), cl::NotHidden,
                     cl::cat(category));
cl::opt<bool> lineInfo("lineinfo", cl::desc("Generate line-number information (if present in the input bytecode)"),
                       cl::cat(category));
cl::opt<bool> listVersions("list-versions", cl::desc("List all supported bytecode versions and exit"),
                           cl::cat(category));
// Kernels of ours have no code on the host, so these have nothing to choose.
cl::opt<HostArch> hostArch("host-arch", cl::desc("Specify the architecture for the generated host code."),
                           cl::values(clEnumValN(HostArch::X86, "x86_64", "x86_64"),
                                      clEnumValN(HostArch::Arm, "aarch64", "aarch64")),
                           cl::init(HostArch::Any), cl::cat(category));
cl::opt<HostOs> hostOs("host-os", cl::desc("Specify the operating system for the generated host code."),
                       cl::values(clEnumValN(HostOs::Linux, "linux", "linux"),
                                  clEnumValN(HostOs::Windows, "windows", "windows")),
                       cl::init(HostOs::Any), cl::cat(category));
enum class Sanitizer { None, Memcheck };
cl::opt<Sanitizer>
    sanitizer("sanitize", cl::desc("Enable compiler instrumentation for the sanitizer tool specified by the option."),
              cl::values(clEnumValN(Sanitizer::Memcheck, "memcheck", "Sanitize memory accesses")),
              cl::init(Sanitizer::None), cl::cat(category));
PreviewOption preview(category);
cl::list<std::string> libraries("l", cl::desc("Tile libraries to load. Requires the SIMT preview."),
                                cl::value_desc("path"), cl::cat(category));
cl::opt<std::string> controls("apply-controls", cl::desc("Accepted by NVIDIA's tool on some platforms; refused here."),
                              cl::value_desc("path"), cl::cat(category));
enum class RemarkFormat { CommandLine, Yaml };
cl::opt<RemarkFormat>
    remarkFormat("remark-format", cl::desc("Specify the format for remark output"),
                 cl::values(clEnumValN(RemarkFormat::CommandLine, "command-line", "Print remarks to command-line"),
                            clEnumValN(RemarkFormat::Yaml, "yaml", "Write remarks to YAML file")),
                 cl::init(RemarkFormat::CommandLine), cl::cat(remarkCategory));
cl::opt<std::string> remarkFile("remarks-output-file",
                                cl::desc("Output file for YAML remark format. Default is tileir_remarks.yaml"),
                                cl::value_desc("string"), cl::init("tileir_remarks.yaml"), cl::cat(remarkCategory));

using Choice = RemarkFilter::Choice;
struct RemarkOption : cl::opt<Choice> {
  RemarkOption(StringRef name, StringRef text)
      : opt(name, cl::desc(text),
            cl::values(clEnumValN(Choice::None, "none", "Disable them"), clEnumValN(Choice::All, "all", "Show all"),
                       clEnumValN(Choice::Memory, "memory", "Show memory-related ones"),
                       clEnumValN(Choice::TensorCore, "tensorcore", "Show tensor-core ones")),
            cl::init(Choice::None), cl::cat(remarkCategory)) {}
};
RemarkOption remarksOfAll("remarks", "Enable all remark types (passed, missed, failed, analysis) for the category");
// In the order of OptimizationRemark::Kind.
RemarkOption remarksOf[] = {{"remarks-passed", "Category for passed optimization remarks"},
                            {"remarks-missed", "Category for missed optimization remarks"},
                            {"remarks-failed", "Category for failed optimization remarks"},
                            {"remarks-analysis", "Category for analysis optimization remarks"}};

void nameGpus() {
  static std::vector<std::pair<std::string, std::string>> texts; // which the options refer to
  for (const nvidia::Architecture &architecture : nvidia::knownArchitectures())
    texts.emplace_back("sm_" + std::to_string(architecture.number), "SM " + std::to_string(architecture.number));
  for (auto [text, architecture] : zip(texts, nvidia::knownArchitectures()))
    gpu.getParser().addLiteralOption(text.first, static_cast<Gpu>(architecture.number), text.second);
}

RemarkFilter chosenRemarks() {
  RemarkFilter filter;
  for (auto [option, choice] : zip(remarksOf, filter.choices))
    choice = option.getNumOccurrences() ? option.getValue() : remarksOfAll.getValue();
  return filter;
}

int fail(const Twine &message, ExitStatus status) {
  errs() << "error: " << message << '\n';
  return status;
}

// Places the way that callers of NVIDIA's tool look for them: loc("file":line:column): error: ...; these show the lines
// of the source themselves, so that ours, which have a caret below them, are left out.
std::string withPlaces(StringRef text) {
  std::string result;
  static const Regex place("^(.+):([0-9]+):([0-9]+): error: (.*)$");
  SmallVector<StringRef> lines, parts;
  text.rtrim().split(lines, '\n');
  auto isCaret = [&](size_t i) { return i < lines.size() && lines[i].trim() == "^"; };
  for (auto [i, line] : enumerate(lines))
    if (!isCaret(i) && !isCaret(i + 1))
      result += place.match(line, &parts)
                    ? ("loc(\"" + parts[1] + "\":" + parts[2] + ":" + parts[3] + "): error: " + parts[4] + "\n").str()
                    : (line + "\n").str();
  return StringRef(result).contains("error: ") ? result : "error: " + result;
}

void printVersion(raw_ostream &os) {
  // The version by which a caller's cache tells one compiler from another.
  os << "tileiras: Tilewright Tile IR optimizing assembler\n"
     << compilerIdentity() << '\n'
     << nvidia::identifyAssemblers({}) << '\n';
}

// A status if the options cannot be followed.
std::optional<int> checkOptions() {
  if (optLevel < 0 || optLevel > 3)
    return fail("invalid optimization level: " + Twine(optLevel) + ", expected 0 to 3", BadOption);
  if (deviceDebug && optLevel != 0)
    return fail("optimized debugging is currently not supported, change the optimization level to 0 or disable full "
                "debug info",
                BadOption);
  if (!controls.empty())
    return fail("--apply-controls is not supported", BadOption);
  if (!libraries.empty())
    return fail(is_contained(preview, "simt") ? "tile libraries are not supported, found '-l " + libraries[0] + "'"
                                              : "libraries require the 'simt' preview feature",
                Failed);
  return std::nullopt;
}

Error writeRemarks(ArrayRef<OptimizationRemark> remarks, const RemarkFilter &filter) {
  std::vector<OptimizationRemark> chosen;
  copy_if(remarks, std::back_inserter(chosen), [&](const OptimizationRemark &remark) { return filter.takes(remark); });
  if (remarkFormat == RemarkFormat::CommandLine) {
    printRemarks(chosen, outs());
    return Error::success();
  }
  std::error_code code;
  raw_fd_ostream os(remarkFile, code);
  if (code)
    return createStringError("cannot open the remark output file '" + remarkFile + "': " + code.message());
  return writeRemarksAsYaml(chosen, os);
}

int assembleFile(StringRef bytes) {
  PipelineOptions options;
  options.codeGen.optLevel = optLevel == 0 ? 0 : 1; // the tile passes do at 1 what 3 asks for
  if (optLevel.getNumOccurrences())
    options.askedLevel = optLevel;
  options.debugInfo = deviceDebug ? DebugInfo::Full : lineInfo ? DebugInfo::Lines : DebugInfo::None;
  options.nvidia.switches = nvidia::Switches::fromEnvironment();
  options.nvidia.abi = nvidia::LaunchAbi::Portable;
  options.nvidia.checkAccesses = sanitizer == Sanitizer::Memcheck;
  options.verifyEach = false;
  // LLVM's option, which prints before LLVM's passes: ours come before those.
  if (cl::Option *llvmOption = cl::getRegisteredOptions().lookup("print-before-all"))
    options.printBeforeAll = llvmOption->getNumOccurrences() != 0;
  options.limits.time = std::chrono::milliseconds(0); // callers of this tool have their own limits
  RemarkFilter filter = chosenRemarks();
  options.wantsRemarks = filter.takesAny();

  if (gpu == Gpu::None)
    return fail("no GPU is given, expected --gpu-name, as in --gpu-name=sm_90", BadOption);
  TargetRef target = cantFail(parseTarget("sm_" + std::to_string(static_cast<unsigned>(gpu.getValue()))));
  auto math = readEnvironment("TILEWRIGHT_MATH");
  if (!math)
    return fail(toString(math.takeError()), BadOption);
  auto libdevice = nvidia::findLibdevice(std::get<std::string>(*math), {});
  if (!libdevice)
    return fail(toString(libdevice.takeError()), BadOption);
  options.libdevice = std::move(*libdevice);
  PipelineReport report;
  auto cubin = compileTo(Level::Cubin, bytes, input, target, options, report);
  errs() << report.dumps; // no remarks without a request: callers treat this output as errors
  if (options.wantsRemarks)
    if (Error error = writeRemarks(report.optimizations, filter))
      return fail(toString(std::move(error)), BadInput);
  if (!cubin) {
    errs() << withPlaces(toString(cubin.takeError()));
    return Failed;
  }
  std::error_code code;
  raw_fd_ostream os(output, code);
  if (code)
    return fail("cannot write '" + output + "': " + code.message(), BadOption);
  os << *cubin;
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::SetVersionPrinter(printVersion);
  cl::HideUnrelatedOptions({&category, &remarkCategory});
  if (any_of(ArrayRef(argv, argc).drop_front(), [](StringRef word) { return word.ltrim('-') == "list-versions"; })) {
    for (const cuda_tile::SupportedVersion &known : cuda_tile::getSupportedVersions())
      outs() << known.version.str() << '\n';
    return 0;
  }
  nameGpus();
  cl::ParseCommandLineOptions(argc, argv, "tileiras: Tilewright Tile IR optimizing assembler\n");
  cl::PrintOptionValues();
  if (input.empty()) {
    cl::PrintHelpMessage();
    return fail("no input file provided\n", Usage);
  }
  if (auto status = checkOptions())
    return *status;
  auto buffer = MemoryBuffer::getFile(input, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail("unable to read input file '" + input + "': " + buffer.getError().message(), Usage);
  StringRef bytes = (*buffer)->getBuffer();
  if (!cuda_tile::isBytecode(bytes))
    return fail("input does not correspond to Tile IR bytecode", BadInput);
  return assembleFile(bytes);
}
