// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of commands, registered with LLVM's command line as the table of options has them.
#ifndef TILEWRIGHT_OPTIONS_COMMANDLINE_H
#define TILEWRIGHT_OPTIONS_COMMANDLINE_H

#include "options/Environment.h"
#include <memory>

namespace llvm::cl {
class SubCommand;
} // namespace llvm::cl

namespace tilewright {

/// A command and its options:
///
///   CommandLine compile("compile", "compile a module or a kernel", visibility::Compile);
///   llvm::cl::ParseCommandLineOptions(argc, argv);
///   if (compile) use(compile.number("opt-level"));
///
/// A value is that of the command line, else of the option's environment variable, else the initial one.
class CommandLine {
public:
  /// It has the options that are visible to one of these bits.
  CommandLine(llvm::StringRef name, llvm::StringRef summary, unsigned visibility);
  ~CommandLine();

  /// For arguments without a name, which the table has not.
  llvm::cl::SubCommand &subCommand() { return *command; }
  /// Whether this is the command that was given.
  explicit operator bool() const;

  std::vector<const Option *> allOptions() const;
  Value value(llvm::StringRef option) const;
  bool flag(llvm::StringRef option) const { return get<bool>(option); }
  int64_t number(llvm::StringRef option) const { return get<int64_t>(option); }
  double seconds(llvm::StringRef option) const { return get<double>(option); }
  std::string text(llvm::StringRef option) const { return get<std::string>(option); }
  std::vector<std::string> words(llvm::StringRef option) const { return get<std::vector<std::string>>(option); }

private:
  struct Registered;

  const Registered &find(llvm::StringRef option) const;
  template <typename T> T get(llvm::StringRef option) const {
    Value held = value(option);
    const T *found = std::get_if<T>(&held);
    return found ? *found : T();
  }

  std::unique_ptr<llvm::cl::SubCommand> command;
  std::vector<std::unique_ptr<Registered>> options;
};

} // namespace tilewright

#endif // TILEWRIGHT_OPTIONS_COMMANDLINE_H
