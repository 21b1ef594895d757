// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::programs {

static constexpr StringLiteral contentsNames[] = {"zero", "small", "any"}; // by the values of Contents

std::string printLaunch(const Launch &launch) {
  std::string text;
  raw_string_ostream os(text);
  os << "// launch: " << launch.seed << " grid " << launch.grid[0] << ' ' << launch.grid[1] << ' ' << launch.grid[2]
     << '\n';
  for (const Parameter &parameter : launch.parameters) {
    if (!parameter.isBuffer) {
      os << "// scalar: " << elementName(parameter.element) << ' ' << parameter.seed << '\n';
      continue;
    }
    os << "// buffer: " << elementName(parameter.element) << ' ' << parameter.count << ' '
       << contentsNames[static_cast<unsigned>(parameter.contents)] << ' ' << parameter.seed << ' ';
    if (parameter.tolerance)
      os << "ulp " << parameter.tolerance;
    else
      os << "exact";
    os << '\n';
  }
  return text;
}

static Error fail(StringRef line, const Twine &expected) {
  return createStringError("expected " + expected + ", got '" + line + "'");
}

static Expected<Parameter> parseParameter(StringRef line, ArrayRef<StringRef> words, bool isBuffer) {
  Parameter parameter;
  parameter.isBuffer = isBuffer;
  std::optional<Element> element = words.empty() ? std::nullopt : elementByName(words[0]);
  if (!element)
    return fail(line, "an element type");
  parameter.element = *element;
  if (!isBuffer) {
    if (words.size() != 2 || words[1].getAsInteger(10, parameter.seed))
      return fail(line, "'// scalar: TYPE BITS'");
    return parameter;
  }
  auto contents = words.size() < 4 ? std::end(contentsNames) : llvm::find(contentsNames, words[2]);
  bool isExact = words.size() == 5 && words[4] == "exact";
  bool isBounded = words.size() == 6 && words[4] == "ulp" && !words[5].getAsInteger(10, parameter.tolerance);
  if (contents == std::end(contentsNames) || words[1].getAsInteger(10, parameter.count) || parameter.count < 1 ||
      words[3].getAsInteger(10, parameter.seed) || (!isExact && !isBounded))
    return fail(line, "'// buffer: TYPE COUNT zero|small|any SEED exact', or 'ulp N' for 'exact'");
  parameter.contents = static_cast<Contents>(contents - std::begin(contentsNames));
  return parameter;
}

Expected<Launch> parseLaunch(StringRef text) {
  Launch launch;
  bool found = false;
  for (StringRef line : llvm::split(text, '\n')) {
    SmallVector<StringRef> words;
    SplitString(line, words);
    if (words.size() < 2 || words[0] != "//")
      continue;
    ArrayRef<StringRef> rest = ArrayRef(words).drop_front(2);
    if (words[1] == "launch:") {
      found = true;
      bool isBad = rest.size() != 5 || rest[0].getAsInteger(10, launch.seed) || rest[1] != "grid";
      for (unsigned i = 0; i < 3 && !isBad; ++i)
        isBad = rest[2 + i].getAsInteger(10, launch.grid[i]) || launch.grid[i] < 1;
      if (isBad)
        return fail(line, "'// launch: SEED grid X Y Z'");
    } else if (words[1] == "buffer:" || words[1] == "scalar:") {
      auto parameter = parseParameter(line, rest, words[1] == "buffer:");
      if (!parameter)
        return parameter.takeError();
      launch.parameters.push_back(*parameter);
    }
  }
  if (!found)
    return createStringError("expected a program with its launch, a comment '// launch: SEED grid X Y Z', and a "
                             "comment '// buffer: ...' or '// scalar: ...' per argument");
  return launch;
}

std::string printProgram(const Program &program) {
  std::string text = printLaunch(program.launch);
  raw_string_ostream os(text);
  mlir::ModuleOp module = *program.module;
  module.getBody()->front().print(os);
  os << '\n';
  return text;
}

Expected<Source> parseProgram(StringRef text) {
  auto launch = parseLaunch(text);
  if (!launch)
    return launch.takeError();
  return Source{text.str(), std::move(*launch)};
}

} // namespace tilewright::programs
