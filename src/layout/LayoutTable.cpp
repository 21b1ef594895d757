// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/LayoutTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

using namespace llvm;

namespace tilewright::layout {

constexpr unsigned kMostRows = 64, kMostCells = 32, kLineBits = 3;

namespace {

struct Table {
  explicit Table(const LinearLayout &layout) : layout(layout) {
    columnBits = layout.outputs().empty() ? 0 : layout.outputs().back().bits;
    // A line of one dimension is broken.
    if (layout.outputs().size() == 1 && columnBits > kLineBits) {
      columnBits = kLineBits;
      rowLabel = 1 << kLineBits;
    }
    rowBits = layout.outputBits() - columnBits;
    holders.assign(size_t(1) << layout.outputBits(), kNobody);
    copies.assign(holders.size(), false);
    for (F2Vector input = 0; input < F2Vector(1) << layout.inputBits(); ++input) {
      F2Vector element = layout.applyFlat(input);
      copies[element] = holders[element] != kNobody;
      if (!copies[element])
        holders[element] = input;
    }
  }

  F2Vector holder(uint64_t row, uint64_t column) const { return holders[row << columnBits | column]; }

  // How many columns a cell has: the finest input counts on, from a multiple.
  uint64_t columnsInCell() const {
    uint64_t fewest = 1;
    if (!layout.inputs().empty())
      if (DimSize in = layout.inputs().front(); in.dim == Dim::Register || in.dim == Dim::Offset)
        fewest = std::min(uint64_t(1) << columnBits, in.size());
    for (uint64_t row = 0; row >> rowBits == 0; ++row)
      for (uint64_t column = 0; column >> columnBits == 0; ++column) {
        F2Vector first = holder(row, column & ~(fewest - 1));
        while (fewest > 1 && holder(row, column) != (first | (column & (fewest - 1)))) {
          fewest /= 2;
          first = holder(row, column & ~(fewest - 1));
        }
      }
    return fewest;
  }

  std::string cell(uint64_t row, uint64_t column) const {
    F2Vector input = holder(row, column);
    if (input == kNobody)
      return "-";
    std::string text;
    for (DimSize in : reverse(layout.inputs()))
      if (in.bits || layout.inputs().size() == 1) {
        StringRef separator = text.empty()                                   ? ""
                              : in.dim == Dim::Register                      ? "."
                              : in.dim == Dim::Lane                          ? "/"
                              : in.dim == Dim::Offset || in.dim == Dim::Warp ? ":"
                                                                             : ",";
        text += (separator + Twine(layout.inputIndex(input, in.dim))).str();
      }
    return copies[row << columnBits | column] ? text + "+" : text;
  }

  static constexpr F2Vector kNobody = ~F2Vector(0);
  const LinearLayout &layout;
  unsigned rowBits, columnBits, rowLabel = 1;
  std::vector<F2Vector> holders;
  std::vector<bool> copies;
};

} // namespace

std::string layoutTable(const LinearLayout &layout) {
  if (layout.outputBits() > 20 || layout.inputBits() > 22)
    return "too large for a table\n";
  Table table(layout);
  uint64_t step = table.columnsInCell(), columns = uint64_t(1) << table.columnBits, rows = uint64_t(1) << table.rowBits;
  uint64_t shownColumns = std::min(columns, step * kMostCells), shownRows = std::min<uint64_t>(rows, kMostRows);
  std::vector<std::vector<std::string>> lines(1, {""});
  for (uint64_t column = 0; column < shownColumns; column += step)
    lines[0].push_back(step == 1 ? utostr(column) : formatv("{0}-{1}", column, column + step - 1).str());
  for (uint64_t row = 0; row < shownRows; ++row) {
    lines.push_back({utostr(row * table.rowLabel)});
    for (uint64_t column = 0; column < shownColumns; column += step)
      lines.back().push_back(table.cell(row, column));
  }
  SmallVector<size_t> widths(lines[0].size(), 0);
  for (const auto &line : lines)
    for (auto [width, text] : zip_equal(widths, line))
      width = std::max(width, text.size());

  std::string result;
  raw_string_ostream stream(result);
  for (const auto &line : lines) {
    for (auto [index, text] : enumerate(line))
      stream << (index == 0 ? "" : index == 1 ? " | " : "  ") << right_justify(text, widths[index]);
    stream << '\n';
  }
  if (shownRows < rows || shownColumns < columns)
    stream << formatv("({0} of {1} rows, {2} of {3} columns)\n", shownRows, rows, shownColumns, columns);
  return result;
}

} // namespace tilewright::layout
