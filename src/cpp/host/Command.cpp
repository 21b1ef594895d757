// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/host/Command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace tilewright::cpp {

namespace {

// Options of Clang whose value may be the next argument.
constexpr StringLiteral withValue[] = {
    "-I",  "-D",  "-U",  "-include", "-isystem", "-iquote", "-idirafter", "-Xclang", "-imacros", "-x",
    "-MJ", "-MF", "-MT", "-MQ",      "-L",       "-l",      "-Xlinker",   "-T",      "-z",       "-target"};
// Of the linker, by their beginnings.
constexpr StringLiteral ofLinker[] = {
    "-L",       "-l",        "-Wl,",           "-Xlinker",      "-T",       "-z", "-shared", "-static", "-rdynamic",
    "-fuse-ld", "-nostdlib", "-nodefaultlibs", "-nostartfiles", "--ld-path"};
constexpr StringLiteral ofDependencies[] = {"-MD", "-MMD", "-MF", "-MT", "-MQ", "-MP", "-MG", "-MJ"};
constexpr StringLiteral ofClang[] = {"-E", "-S", "-###", "--version", "-dumpversion", "-dumpmachine"};
constexpr StringLiteral sourceExtensions[] = {".cpp", ".cc", ".cxx", ".C", ".c++", ".cu", ".cuh", ".h", ".hpp"};

bool isSource(StringRef path) {
  return is_contained(sourceExtensions, sys::path::extension(path));
}

class Parser {
public:
  explicit Parser(ArrayRef<const char *> arguments) : arguments(arguments) {}

  Expected<Command> parse() {
    for (next = 0; next < arguments.size();)
      if (Error error = take(arguments[next++]))
        return error;
    // The interpreter runs the kernels of a program that is to be debugged.
    if (is_contained(command.options.arguments, "-g") && !is_contained(command.targets, "tilebc"))
      command.targets.push_back("tilebc");
    if (command.sources.empty() && command.linked.empty() && !command.isForClang)
      return createStringError("no file given");
    if (!command.emit.empty() && command.sources.size() != 1)
      return createStringError("found " + Twine(command.sources.size()) + " sources, --emit expects one");
    return std::move(command);
  }

private:
  Error take(StringRef argument) {
    StringRef value = argument;
    if (value.consume_front("--emit="))
      command.emit = value;
    else if (value.consume_front("--target="))
      command.target = value;
    else if (value.consume_front("--tile-targets="))
      return takeTargets(value);
    else if (value.consume_front("--kernel="))
      command.options.kernels.push_back(value.str());
    else if (argument == "-ffp-contract=off")
      command.options.contracts = false;
    else if (argument == "-fsyntax-only")
      command.options.syntaxOnly = true;
    else if (argument == "-Rtile")
      command.remarks = true;
    else if (argument == "-c")
      command.compileOnly = true;
    else if (argument == "-o")
      return takeOutput();
    else if (argument.starts_with("-") && argument != "-")
      takeOption(argument);
    else
      takeFile(argument);
    return Error::success();
  }

  Error takeTargets(StringRef list) {
    command.targets.clear();
    for (StringRef target : split(list, ',')) {
      if (target.empty())
        return createStringError("--tile-targets is '" + list + "', expected targets with commas between");
      command.targets.push_back(target.str());
    }
    return Error::success();
  }

  Error takeOutput() {
    if (next == arguments.size())
      return createStringError("-o has no file behind it");
    command.output = arguments[next++];
    return Error::success();
  }

  void takeOption(StringRef option) {
    auto begins = [&](StringRef prefix) { return option.starts_with(prefix); };
    bool isLinked = any_of(ofLinker, begins);
    bool isLanguage = begins("-x"); // every source is C++
    command.isForClang |= is_contained(ofClang, option) || begins("-print-");
    std::vector<std::string> unused;
    std::vector<std::string> &list = isLanguage                             ? unused
                                     : is_contained(ofDependencies, option) ? command.dependencies
                                     : isLinked                             ? command.linked
                                                                            : command.options.arguments;
    list.push_back(option.str());
    if (is_contained(withValue, option) && next < arguments.size())
      list.push_back(arguments[next++]);
  }

  void takeFile(StringRef path) {
    command.linked.push_back(path.str());
    if (path == "-" || isSource(path))
      command.sources.push_back(path.str());
  }

  ArrayRef<const char *> arguments;
  size_t next = 0;
  Command command;
};

} // namespace

Expected<Command> parseCommand(ArrayRef<const char *> arguments) {
  return Parser(arguments).parse();
}

} // namespace tilewright::cpp
