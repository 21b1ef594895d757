// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/explain/LaunchFacts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

constexpr StringLiteral tensorPrefix = "tensor:";
// Of launches: what arrays are filled with.
constexpr StringLiteral contents[] = {"zeros", "arange", "random"};

// Positive numbers with a separator between; nothing for other text.
std::optional<std::vector<int64_t>> readExtents(StringRef text, char separator) {
  std::vector<int64_t> extents;
  for (StringRef part : split(text, separator))
    if (part.getAsInteger(10, extents.emplace_back()) || extents.back() < 1)
      return std::nullopt;
  return extents.empty() ? std::nullopt : std::optional(std::move(extents));
}

std::optional<int64_t> readInteger(StringRef text) {
  int64_t number;
  if (text == "true" || text == "false")
    return text == "true";
  return text.getAsInteger(0, number) ? std::nullopt : std::optional(number);
}

// As in `%arg1: ptr<bf16>`.
std::string describe(const EntryParameter &parameter, size_t number) {
  std::string name = parameter.name.empty() ? "%arg" + std::to_string(number) : parameter.name;
  bool isPointer = parameter.kind == EntryParameter::Kind::Pointer;
  return name + ": " + (isPointer ? "ptr<" + parameter.element + ">" : parameter.element);
}

// Fills the parameters of an entry, one argument after the other.
class Binder {
public:
  Binder(StringRef entry, ArrayRef<EntryParameter> parameters) : entry(entry), parameters(parameters) {}

  Error add(const LaunchArgument &argument) {
    if (values.size() == parameters.size())
      return createStringError(counts() + "; --arg " + argument.text + " is one too many");
    size_t number = values.size();
    if (Error error = isPointer() ? addPointer(argument) : addNumber(argument))
      return createStringError("--arg " + argument.text + " for " + describe(parameters[number], number) + ": " +
                               toString(std::move(error)));
    return Error::success();
  }

  Expected<std::vector<std::optional<int64_t>>> finish() {
    if (values.size() < parameters.size())
      return createStringError(counts());
    return std::move(values);
  }

private:
  bool isPointer() const { return parameters[values.size()].kind == EntryParameter::Kind::Pointer; }

  std::string counts() const {
    std::vector<std::string> list;
    for (auto [number, parameter] : enumerate(parameters))
      list.push_back(describe(parameter, number));
    return formatv("{0} takes {1} values ({2}), found {3}", entry, parameters.size(),
                   list.empty() ? "nothing" : join(list, ", "), values.size());
  }

  Error addPointer(const LaunchArgument &argument) {
    bool isArray = argument.kind == LaunchArgument::Kind::Array;
    if (argument.kind == LaunchArgument::Kind::Number && argument.shape.empty())
      return createStringError("found a number, expected a shape as in 4096x4096, or ptr for any address");
    StringRef expected = parameters[values.size()].element;
    if (isArray && !argument.element.empty() && !expected.empty() && argument.element != expected)
      return createStringError("found an array of " + argument.element + ", expected " + expected);
    values.push_back(addressOfParameter(values.size()));
    return argument.isTensor ? addTensor(argument) : Error::success();
  }

  // The convention of cuTile: after a pointer come the extents and then the strides of the tensor.
  Error addTensor(const LaunchArgument &argument) {
    for (const auto &[what, numbers] : {std::pair("extent", argument.shape), std::pair("stride", argument.strides())})
      for (int64_t number : numbers) {
        bool isEnd = values.size() == parameters.size();
        if (isEnd || parameters[values.size()].kind != EntryParameter::Kind::Integer)
          return createStringError("expected an integer parameter for " + Twine(what) + " " + Twine(number) +
                                   ", found " +
                                   (isEnd ? "no more parameters" : describe(parameters[values.size()], values.size())));
        if (Error error = addInteger(number))
          return error;
      }
    return Error::success();
  }

  Error addNumber(const LaunchArgument &argument) {
    using Kind = LaunchArgument::Kind;
    if (argument.kind == Kind::Pointer || argument.kind == Kind::Array)
      return createStringError("expected a number, or - where it is not known: the parameter is no pointer");
    bool isInteger = parameters[values.size()].kind == EntryParameter::Kind::Integer;
    if (argument.kind == Kind::Unknown || !isInteger) {
      values.push_back(std::nullopt);
      return Error::success();
    }
    if (!argument.integer)
      return createStringError("expected an integer");
    return addInteger(*argument.integer);
  }

  Error addInteger(int64_t number) {
    unsigned bits = parameters[values.size()].bits;
    int64_t least = bits == 1 ? 0 : minIntN(bits), most = bits >= 64 ? INT64_MAX : int64_t(maxUIntN(bits));
    if (number < least || number > most)
      return createStringError(formatv("found {0}, expected a number from {1} to {2}", number, least, most));
    values.push_back(number);
    return Error::success();
  }

  StringRef entry;
  ArrayRef<EntryParameter> parameters;
  std::vector<std::optional<int64_t>> values;
};

} // namespace

std::vector<int64_t> LaunchArgument::strides() const {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

Expected<std::array<int64_t, 3>> parseGrid(StringRef text) {
  auto extents = readExtents(text, ',');
  if (!extents || extents->size() > 3)
    return createStringError("--grid " + text + ": expected one to three positive numbers, as in 4,2,1");
  std::array<int64_t, 3> grid = {1, 1, 1};
  llvm::copy(*extents, grid.begin());
  return grid;
}

Expected<LaunchArgument> parseLaunchArgument(StringRef text) {
  using Kind = LaunchArgument::Kind;
  LaunchArgument argument{text.str(), Kind::Unknown, {}, "", {}, false};
  double fraction;
  StringRef rest = text;
  argument.isTensor = rest.consume_front(tensorPrefix);
  if (argument.isTensor || !is_contained({"-", "ptr"}, text)) {
    argument.integer = readInteger(rest);
    bool isNumber = argument.integer || (!argument.isTensor && !rest.empty() && to_float(rest, fraction));
    StringRef shape = rest;
    if (auto [element, after] = rest.split(':'); !after.empty()) {
      argument.element = is_contained(contents, element) ? "" : element.str();
      shape = after;
    }
    if (auto extents = readExtents(shape, 'x'))
      argument.shape = std::move(*extents);
    else if (!isNumber || argument.isTensor)
      return createStringError("--arg " + text +
                               ": expected a number, a shape as in 4096x4096 or bf16:4096x4096, tensor: before a "
                               "shape, ptr, or - where it is not known");
    argument.kind = isNumber && !argument.isTensor ? Kind::Number : Kind::Array;
  } else if (text == "ptr") {
    argument.kind = Kind::Pointer;
  }
  return argument;
}

Expected<std::optional<LaunchFacts>> parseLaunchFacts(StringRef grid, ArrayRef<std::string> arguments) {
  if (grid.empty()) {
    if (!arguments.empty())
      return createStringError("--arg " + arguments.front() + " without --grid, expected both, as in --grid=64,64");
    return std::optional<LaunchFacts>();
  }
  LaunchFacts facts;
  auto extents = parseGrid(grid);
  if (!extents)
    return extents.takeError();
  facts.grid = *extents;
  for (const std::string &text : arguments) {
    auto argument = parseLaunchArgument(text);
    if (!argument)
      return argument.takeError();
    facts.arguments.push_back(std::move(*argument));
  }
  return facts;
}

Expected<predict::Launch> launchOf(const LaunchFacts &facts, StringRef entry, ArrayRef<EntryParameter> parameters) {
  Binder binder(entry, parameters);
  std::vector<LaunchArgument> arguments = facts.arguments;
  if (arguments.empty())
    arguments.resize(parameters.size());
  for (const LaunchArgument &argument : arguments)
    if (Error error = binder.add(argument))
      return error;
  auto values = binder.finish();
  if (!values)
    return values.takeError();
  return predict::Launch{facts.grid, std::move(*values)};
}

int64_t addressOfParameter(size_t index) {
  return int64_t(index + 1) << 40; // further apart than arrays are large
}

} // namespace tilewright
