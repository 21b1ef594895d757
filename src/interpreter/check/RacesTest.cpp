// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The programs of races/: every one of planted/ has a data race between the lines that are marked `// here`, every one
// of silent/ looks like one and has none. The first line of each has the reason.
#include "interpreter/check/TestLaunch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <regex>
#include <set>

using namespace tilewright::interpreter;

namespace {

struct Program {
  std::string name, text;
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::set<int> marked; // line numbers
};

std::vector<Program> programsOf(llvm::StringRef folder) {
  llvm::SmallString<256> path(__FILE__);
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, "races", folder);
  std::vector<Program> programs;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(path, error), end; it != end && !error; it.increment(error)) {
    auto buffer = llvm::MemoryBuffer::getFile(it->path(), /*IsText=*/true);
    if (!buffer) {
      ADD_FAILURE() << it->path();
      continue;
    }
    Program &program = programs.emplace_back();
    program.name = llvm::sys::path::filename(it->path()).str();
    program.text = (*buffer)->getBuffer().str();
    llvm::SmallVector<llvm::StringRef> lines;
    llvm::StringRef(program.text).split(lines, '\n');
    for (auto [number, line] : llvm::enumerate(lines)) {
      // Extents of the grid default to 1.
      if (line.consume_front("// grid: "))
        for (int64_t &extent : program.grid) {
          line = line.ltrim();
          if (!line.empty())
            line.consumeInteger(10, extent);
        }
      if (line.ends_with("// here"))
        program.marked.insert(number + 1);
    }
  }
  EXPECT_FALSE(error) << error.message();
  return programs;
}

std::set<int> linesOf(const std::string &report) {
  std::set<int> lines;
  std::regex place("\\.mlir:(\\d+):\\d+: ");
  for (std::sregex_iterator it(report.begin(), report.end(), place), end; it != end; ++it)
    lines.insert(std::stoi((*it)[1]));
  return lines;
}

} // namespace

TEST(Races, plantedOnesAreFound) {
  std::vector<Program> programs = programsOf("planted");
  EXPECT_GE(programs.size(), 40u);
  for (const Program &program : programs) {
    CheckedLaunch launch(program.text, program.name, program.grid);
    EXPECT_FALSE(program.marked.empty()) << program.name;
    EXPECT_EQ(linesOf(launch.report), program.marked) << program.name << "\n" << launch.report;
    EXPECT_EQ(llvm::StringRef(launch.report).count("error: data race: "), launch.count) << launch.report;
  }
}

TEST(Races, lookAlikesAreSilent) {
  std::vector<Program> programs = programsOf("silent");
  EXPECT_GE(programs.size(), 40u);
  for (const Program &program : programs)
    EXPECT_EQ(CheckedLaunch(program.text, program.name, program.grid).report, "") << program.name;
}
