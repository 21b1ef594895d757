// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command `tilewright`. Modules are worked on here; kernels in Python files by `python3 -m tilewright`, which takes
// the same commands and options.
#include "options/CommandLine.h"
#include "pipeline/Pipeline.h"
#include "pipeline/TileIrFile.h"
#include "pipeline/entry/ModuleInfo.h"
#include "pipeline/explain/PredictLaunch.h"
#include "planner/Search.h"
#include "session/Settings.h"
#include "support/PlanFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright;

namespace {

constexpr size_t rankedRows = 10;
constexpr char searchNeedsLaunch[] =
    "--search needs the launch whose time is predicted, expected --grid and an --arg for each parameter";

// Their options are those of the table in src/options.
CommandLine compileCommand("compile", "compile a module or a kernel", visibility::Compile | visibility::ForParent);
CommandLine explainCommand("explain", "report the decisions for each kernel, its resources, and the time of a launch",
                           visibility::Explain);
CommandLine planCommand("plan", "print the decisions for each kernel as a plan file, or compare two such files",
                        visibility::Plan);
CommandLine disCommand("dis", "print Tile IR as text", visibility::Dis);
CommandLine asCommand("as", "write Tile IR as bytecode", visibility::As);
CommandLine infoCommand("info", "say what a file of Tile IR has in it", visibility::Info);

cl::opt<std::string> input(cl::Positional, cl::desc("<bytecode, text, - or file.py:kernel>"), cl::Required,
                           cl::sub(compileCommand.subCommand()), cl::sub(explainCommand.subCommand()));
cl::opt<std::string> tileIr(cl::Positional, cl::desc("<bytecode, text or ->"), cl::Required,
                            cl::sub(disCommand.subCommand()), cl::sub(asCommand.subCommand()),
                            cl::sub(infoCommand.subCommand()));

cl::list<std::string> planned(cl::Positional, cl::OneOrMore,
                              cl::desc("<bytecode, text, - or file.py:kernel> | diff <plan> <plan>"),
                              cl::sub(planCommand.subCommand()));

int fail(const Twine &message) {
  WithColor::error(errs(), "tilewright") << message << '\n';
  return 1;
}

// Diagnostics say themselves where they are from.
int failWith(Error error) {
  std::string text = toString(std::move(error));
  if (!StringRef(text).contains(": error: "))
    return fail(text);
  errs() << StringRef(text).rtrim() << '\n';
  return 1;
}

// A kernel in a Python file needs Python, and so do files of arrays.
int delegateToPython(int argc, char **argv, StringRef what) {
  auto python = sys::findProgramByName("python3");
  if (!python)
    return fail("python3 is not in PATH, expected it for " + what);
  SmallVector<StringRef> arguments = {*python, "-m", "tilewright"};
  arguments.append(argv + 1, argv + argc);
  return sys::ExecuteAndWait(*python, arguments);
}

int write(StringRef bytes, StringRef path) {
  std::error_code code;
  raw_fd_ostream os(path, code);
  if (code)
    return fail("cannot write " + path + ": " + code.message());
  os << bytes;
  return 0;
}

// Hands a file to `work` and what comes out to `finish`.
int process(StringRef path, function_ref<Expected<std::string>(const TileIrFile &)> work,
            function_ref<int(StringRef)> finish) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return fail("cannot read " + path + ": " + buffer.getError().message());
  auto result = work({(*buffer)->getBuffer(), path == "-" ? "<stdin>" : path});
  return result ? finish(*result) : failWith(result.takeError());
}

// Likewise, and writes what comes out to the command's output.
int process(StringRef path, const CommandLine &command, function_ref<Expected<std::string>(const TileIrFile &)> work) {
  return process(path, work, [&](StringRef bytes) { return write(bytes, command.text("output")); });
}

// An object or a library and, beside it, its C header.
int writeCode(StringRef object, StringRef header, const std::string &output, bool link) {
  if (!link) {
    if (int status = write(object, output); status || output == "-")
      return status;
  } else if (Error error = linkSharedLibrary(ArrayRef(object.data(), object.size()), output)) {
    return fail(toString(std::move(error)));
  }
  SmallString<128> path(output);
  if (sys::path::extension(path).empty()) // a device such as /dev/null
    return 0;
  sys::path::replace_extension(path, "h");
  return write(header, path);
}

Expected<PipelineOptions> pipelineOptions(const CommandLine &command) {
  auto settings = session::Settings::fromEnvironment();
  if (!settings)
    return settings.takeError();
  settings->pipeline.isolation = Isolation::Never; // this is a process of its own
  settings->pipeline.verifyEach = true;
  for (const Option *option : command.allOptions())
    if (Error error = settings->set(*option, command.value(option->name)))
      return error;
  return settings->resolve();
}

// A command's target, and how to compile for it.
struct Aim {
  TargetRef target;
  PipelineOptions options;
};
Expected<Aim> aimOf(const CommandLine &command) {
  auto target = parseTarget(command.text("target"));
  if (!target)
    return target.takeError();
  auto options = pipelineOptions(command);
  if (!options)
    return options.takeError();
  return Aim{std::move(*target), std::move(*options)};
}

DeviceChoice deviceOf(const CommandLine &command) {
  return {command.text("product"), static_cast<unsigned>(command.number("threads"))};
}

Expected<planner::SearchResult> searchPlans(const TileIrFile &file, const CommandLine &command, const Aim &aim,
                                            const LaunchFacts &facts) {
  planner::SearchLimits limits;
  limits.mostCandidates = command.number("search");
  auto launch = [&](const KernelModel &entry) { return launchOf(facts, entry.work.name, entry.parameters); };
  return planner::searchPlans(file.bytes, file.name, command.text("entry"), aim.target, aim.options, launch,
                              command.text("product"), limits);
}

int explainFile() {
  auto aim = aimOf(explainCommand);
  if (!aim)
    return fail(toString(aim.takeError()));
  auto facts = parseLaunchFacts(explainCommand.text("grid"), explainCommand.words("arg"));
  if (!facts)
    return fail(toString(facts.takeError()));
  if (explainCommand.number("search") && !*facts)
    return fail(searchNeedsLaunch);
  PipelineReport report;
  return process(input, explainCommand, [&](const TileIrFile &file) -> Expected<std::string> {
    auto explanation = explain(file.bytes, file.name, aim->target, aim->options, report);
    errs() << report.remarks;
    if (!explanation)
      return explanation.takeError();
    if (*facts)
      if (Error error = predictLaunch(*explanation, **facts, explainCommand.text("entry"), deviceOf(explainCommand)))
        return error;
    if (explainCommand.number("search")) {
      auto found = searchPlans(file, explainCommand, *aim, **facts);
      if (!found)
        return found.takeError();
      planner::addRunnersUp(*explanation, *found);
    }
    return explainCommand.flag("json") ? explanation->jsonText() : explanation->text();
  });
}

int compile() {
  auto aim = parseTarget(compileCommand.text("target"));
  if (!aim)
    return fail(toString(aim.takeError()));
  std::string emit = compileCommand.text("emit"), output = compileCommand.text("output");
  auto level = emit.empty() ? Expected<Level>((*aim)->codeLevel()) : (*aim)->parseLevel(emit);
  if (!level)
    return fail(toString(level.takeError()));
  bool link = *level == Level::So;
  if (link && output == "-")
    return fail("a shared library cannot go to the terminal, give -o FILE");
  auto options = pipelineOptions(compileCommand);
  if (!options)
    return fail(toString(options.takeError()));
  if (compileCommand.flag("as-child")) {
    beChild();
    options->limits.interrupted = wasAskedToStop;
    options->keepFailures = false;
  }
  PipelineReport report;
  auto work = [&](const TileIrFile &file) {
    auto result = compileTo(*level, file.bytes, file.name, *aim, *options, report);
    errs() << report.dumps << report.remarks << report.timing;
    printRemarks(report.optimizations, errs());
    if (compileCommand.flag("resources"))
      errs() << nvidia::describeResources(report.cubin.kernels);
    return result;
  };
  auto finish = [&](StringRef code) {
    return report.header.empty() ? write(code, output) : writeCode(code, report.header, output, link);
  };
  return process(input, work, finish);
}

// 1 where they differ, as of diff.
int diffPlans(ArrayRef<std::string> paths) {
  std::vector<PlanLine> plans[2];
  for (auto [lines, path] : zip_equal(plans, paths)) {
    auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
    if (!buffer)
      return fail("cannot read " + path + ": " + buffer.getError().message());
    auto read = readPlan((*buffer)->getBuffer(), path);
    if (!read)
      return fail(toString(read.takeError()));
    lines = std::move(*read);
  }
  std::string text = comparePlans(plans[0], plans[1]);
  outs() << text;
  return text.empty() ? 0 : 1;
}

// The ranking is for people, beside the plan file.
int printSearch(const Aim &aim, const LaunchFacts &facts) {
  return process(planned[0], planCommand, [&](const TileIrFile &file) -> Expected<std::string> {
    auto found = searchPlans(file, planCommand, aim, facts);
    if (!found)
      return found.takeError();
    if (planCommand.flag("json"))
      return formatv("{0:2}\n", json::Value(planner::toJson(*found))).str();
    errs() << planner::printRanking(*found, rankedRows);
    return planner::printFastest(*found);
  });
}

int plan() {
  if (planned.size() == 3 && planned[0] == "diff") {
    const std::string paths[] = {planned[1], planned[2]};
    return diffPlans(paths);
  }
  if (planned.size() != 1)
    return fail("found " + Twine(planned.size()) + " arguments, expected a module or kernel, or diff and two plans");
  auto aim = aimOf(planCommand);
  if (!aim)
    return fail(toString(aim.takeError()));
  auto facts = parseLaunchFacts(planCommand.text("grid"), planCommand.words("arg"));
  if (!facts)
    return fail(toString(facts.takeError()));
  bool isSearched = planCommand.number("search");
  if (isSearched != facts->has_value())
    return fail(isSearched ? searchNeedsLaunch
                           : "--grid and --arg describe the launch of a search, expected --search=N");
  if (isSearched)
    return printSearch(*aim, **facts);
  PipelineReport report;
  return process(planned[0], planCommand, [&](const TileIrFile &file) {
    return compileTo(Level::Plan, file.bytes, file.name, aim->target, aim->options, report);
  });
}

bool isPython(StringRef path) {
  return path.rsplit(':').first.ends_with(".py");
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  if (argc > 1 && is_contained({"run", "debug"}, StringRef(argv[1])))
    return delegateToPython(argc, argv, "'tilewright " + Twine(argv[1]).str() + "'");
  cl::ParseCommandLineOptions(argc, argv, "Tilewright, a tile compiler\n");
  if ((compileCommand || explainCommand) && isPython(input))
    return delegateToPython(argc, argv, input);
  if (planCommand && planned.size() == 1 && isPython(planned[0]))
    return delegateToPython(argc, argv, planned[0]);
  if (Error error = checkEnvironment())
    return fail(toString(std::move(error)));
  if (compileCommand)
    return compile();
  if (explainCommand)
    return explainFile();
  if (planCommand)
    return plan();
  if (disCommand)
    return process(tileIr, disCommand,
                   [](const TileIrFile &file) { return disassemble(file, {disCommand.flag("g")}); });
  if (asCommand)
    return process(tileIr, asCommand,
                   [](const TileIrFile &file) { return assemble(file, asCommand.text("bytecode-version")); });
  if (infoCommand)
    return process(tileIr, infoCommand,
                   [](const TileIrFile &file) { return describeFile(file, infoCommand.flag("json")); });
  return fail(
      "no command given, expected compile, explain, plan, run, debug, dis, as or info, as in: tilewright compile IN "
      "--emit=LEVEL -o OUT");
}
