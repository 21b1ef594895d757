// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/CommandLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

bool isFlag(const Option &row) {
  return row.values.kind == Values::Kind::Flag;
}

// For a terminal, which shows no Markdown.
std::string helpOf(const Option &row) {
  std::string help = row.meaning.str();
  llvm::erase(help, '`');
  StringRef initial = row.shownInitial.empty() ? StringRef(row.initial) : StringRef(row.shownInitial);
  if (!isFlag(row) && !initial.empty())
    help += "; default: " + initial.str();
  return help;
}

// One option, of whatever kind: the table's reader makes its value. Its short form is another one, which passes on what
// it is given.
class TableOption : public cl::Option {
public:
  TableOption(const tilewright::Option &row, cl::SubCommand &command, StringRef name, TableOption *longForm = nullptr)
      : Option(cl::Optional, row.isHidden ? cl::Hidden : cl::NotHidden), row(row), longForm(longForm),
        help(longForm ? "the same as --" + row.name.str() : helpOf(row)) {
    ArgStr = name; // setArgStr would make letters a group: -opt would be -o, -p and -t
    setDescription(help);
    setValueStr(row.placeholder);
    if (row.values.isList())
      setNumOccurrencesFlag(cl::ZeroOrMore);
    addSubCommand(command);
    addArgument();
  }

  const tilewright::Option &row;
  tilewright::Value given;

private:
  bool handleOccurrence(unsigned position, StringRef name, StringRef text) override {
    if (longForm)
      return longForm->addOccurrence(position, name, text);
    auto value = readValue(row.values, isFlag(row) && text.empty() ? "1" : text);
    if (!value)
      return error("found " + toString(value.takeError()), name);
    auto *before = std::get_if<std::vector<std::string>>(&given);
    if (before)
      append_range(*before, std::get<std::vector<std::string>>(*value));
    else
      given = std::move(*value);
    setPosition(position);
    return false;
  }
  cl::ValueExpected getValueExpectedFlagDefault() const override {
    return isFlag(row) ? cl::ValueOptional : cl::ValueRequired;
  }

  std::string label() const {
    std::string text = (ArgStr.size() == 1 ? "  -" : "  --") + ArgStr.str();
    return isFlag(row) ? text : text + "=<" + (ValueStr.empty() ? "value" : ValueStr.str()) + ">";
  }
  size_t getOptionWidth() const override { return label().size() + 3; } // and " - "
  void printOptionInfo(size_t width) const override {
    outs() << label();
    printHelpStr(HelpStr, width, getOptionWidth());
  }
  void printOptionValue(size_t, bool) const override {}
  void setDefault() override { given = {}; }

  TableOption *longForm;
  std::string help;
};

} // namespace

struct CommandLine::Registered {
  Registered(const Option &row, cl::SubCommand &command) : option(row, command, row.name) {
    if (row.letter)
      shortForm = std::make_unique<TableOption>(row, command, StringRef(&row.letter, 1), &option);
  }

  TableOption option;
  std::unique_ptr<TableOption> shortForm;
};

CommandLine::CommandLine(StringRef name, StringRef summary, unsigned visibility)
    : command(std::make_unique<cl::SubCommand>(name, summary)) {
  for (const Option &row : tilewright::allOptions())
    if (row.isVisibleTo(visibility))
      options.push_back(std::make_unique<Registered>(row, *command));
}

CommandLine::~CommandLine() = default;

CommandLine::operator bool() const {
  return static_cast<bool>(*command);
}

const CommandLine::Registered &CommandLine::find(StringRef option) const {
  auto found = find_if(options, [&](const auto &known) { return known->option.row.name == option; });
  assert(found != options.end() && "the command has the option");
  return **found;
}

std::vector<const Option *> CommandLine::allOptions() const {
  std::vector<const Option *> rows;
  for (const auto &known : options)
    rows.push_back(&known->option.row);
  return rows;
}

Value CommandLine::value(StringRef option) const {
  const TableOption &known = find(option).option;
  if (known.getNumOccurrences())
    return known.given;
  if (known.row.variable.empty())
    return known.row.initialValue();
  auto value = readEnvironment(known.row.variable);
  if (value)
    return *value;
  consumeError(value.takeError()); // it was told when all were checked
  return known.row.initialValue();
}

} // namespace tilewright
