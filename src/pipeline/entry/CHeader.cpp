// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/entry/CHeader.h"

#include "abi/Abi.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright {
namespace {

constexpr StringLiteral abi =
#include "pipeline/AbiText.inc"
    ;

constexpr StringLiteral runtime[] = {
#include "pipeline/CFloatText.inc"
    ,
#include "pipeline/CFormatText.inc"
    ,
#include "pipeline/CLaunchText.inc"
};

// Names of C and C++ that a parameter cannot have.
constexpr StringLiteral keywords[] = {
    "alignas", "alignof",  "and",       "asm",      "auto",     "bool",     "break",   "case",    "catch",
    "char",    "class",    "const",     "continue", "default",  "delete",   "do",      "double",  "else",
    "enum",    "explicit", "export",    "extern",   "false",    "float",    "for",     "friend",  "goto",
    "if",      "inline",   "int",       "long",     "mutable",  "new",      "not",     "nullptr", "operator",
    "or",      "private",  "protected", "public",   "register", "restrict", "return",  "short",   "signed",
    "sizeof",  "static",   "struct",    "switch",   "template", "this",     "throw",   "true",    "try",
    "typedef", "typeid",   "typename",  "union",    "unsigned", "using",    "virtual", "void",    "volatile",
    "while",   "xor",      "grid_x",    "grid_y",   "grid_z",   "scratch",  "context", "threads", "failure"};

std::string identifier(StringRef text) {
  std::string name;
  for (char c : text)
    if (isAlnum(c) || c == '_')
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (name.size() > 1 && name.back() == '_')
    name.pop_back();
  if (name.empty() || isDigit(name[0]) || is_contained(keywords, name))
    name = "a_" + name;
  return name;
}

// Kinds of numbers that C lacks are their bits.
StringRef elementType(StringRef element) {
  return StringSwitch<StringRef>(element)
      .Case("f32", "float")
      .Case("tf32", "float")
      .Case("f64", "double")
      .Cases({"f16", "bf16"}, "uint16_t")
      .Case("i1", "uint8_t")
      .Case("i16", "int16_t")
      .Case("i32", "int32_t")
      .Case("i64", "int64_t")
      .Default(element.starts_with("f") ? "uint8_t" : "int8_t");
}

struct Parameter {
  std::string declaration, name, comment;
};

SmallVector<Parameter> describe(const EntryInfo &entry) {
  SmallVector<Parameter> parameters;
  StringSet<> used;
  for (auto [i, parameter] : enumerate(entry.parameters)) {
    std::string name = identifier(parameter.name.empty() ? "a" + std::to_string(i) : parameter.name);
    while (!used.insert(name).second)
      name += "_" + std::to_string(i);
    std::string type = elementType(parameter.element).str();
    if (parameter.kind == EntryParameter::Kind::Pointer)
      type = (parameter.written ? "" : "const ") + type + " *";
    else
      type += " ";
    parameters.push_back({type + name, name, parameter.element});
  }
  return parameters;
}

void writeEntry(raw_ostream &os, const EntryInfo &entry) {
  if (entry.name != identifier(entry.name)) {
    os << "\n/* The entry '" << entry.name << "' has a name that C cannot say; look it up with dlsym. */\n";
    return;
  }
  std::string macro = StringRef(entry.name).upper();
  os << "\nvoid " << entry.name
     << "(void **args, int64_t gridX, int64_t gridY, int64_t gridZ, int64_t firstBlock, int64_t lastBlock,\n"
     << std::string(entry.name.size() + 6, ' ') << "char *scratch, void *context);\n";
  // Parameters are not known below the level of tileaa, and then only the kernel itself can be declared.
  bool known = !entry.parameters.empty();
  if (known)
    os << "enum { " << macro << "_NUM_ARGS = " << entry.parameters.size() << " };\n";
  os << "#define " << macro << "_SCRATCH_BYTES ((size_t)"
     << std::max<int64_t>(entry.scratchBytes, TILEWRIGHT_SCRATCH_STATE_BYTES) << ")\n";

  if (!known)
    return;
  SmallVector<Parameter> parameters = describe(entry);
  auto begin = [&](StringRef comment, StringRef result, StringRef suffix, StringRef more) {
    os << "/* " << comment << " */\nstatic inline " << result << ' ' << entry.name << suffix << '(';
    for (const Parameter &parameter : parameters)
      os << parameter.declaration << " /* " << parameter.comment << " */,\n    ";
    os << "int64_t grid_x, int64_t grid_y, int64_t grid_z, " << more << ") {\n  void *args[] = {";
    interleaveComma(parameters, os, [&](const Parameter &parameter) { os << "(void *)&" << parameter.name; });
    os << "};\n";
  };
  begin("Runs every block of a grid on this thread.", "void", "_run", "char *scratch, void *context");
  os << "  memset(scratch, 0, TILEWRIGHT_SCRATCH_STATE_BYTES);\n  " << entry.name
     << "(args, grid_x, grid_y, grid_z, 0, grid_x * grid_y * grid_z, scratch, context);\n}\n";
  begin("Runs a grid with tilewright_launch.", "int", "_launch", "int threads, struct tilewright_failure *failure");
  os << "  return tilewright_launch(" << entry.name << ", args, grid_x, grid_y, grid_z, " << macro
     << "_SCRATCH_BYTES, threads, failure);\n}\n";
}

} // namespace

std::string writeCHeader(ArrayRef<EntryInfo> entries, const Machine &machine) {
  std::string text;
  raw_string_ostream os(text);
  os << "/* Written by tilewright for " << machine.triple << ", " << machine.cpu << ".\n"
     << " * One source file of a program defines TILEWRIGHT_RUNTIME_IMPLEMENTATION before it includes this file; that\n"
     << " * gives it tilewright_launch, and tilewright_print and tilewright_assert_fail, which kernels call. */\n"
     << "#pragma once\n#include <stddef.h>\n#include <string.h>\n"
     << abi << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const EntryInfo &entry : entries)
    writeEntry(os, entry);
  // Two headers in one file have one runtime.
  os << "\n#ifdef __cplusplus\n}\n#endif\n"
     << "\n#if defined(TILEWRIGHT_RUNTIME_IMPLEMENTATION) && !defined(TILEWRIGHT_RUNTIME_DEFINED)\n"
     << "#define TILEWRIGHT_RUNTIME_DEFINED\n";
  for (StringRef part : runtime)
    os << part;
  os << "#endif\n";
  return text;
}

} // namespace tilewright
