// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch as the options --grid and --arg describe it, for predictions of its time: no array is read. The words of
// --arg are those of `tilewright run`, where an array has a shape instead of a file:
//
//   100, 0x40, -1, 2.5, true       a number
//   4096x1024, bf16:4096x1024      an array of that shape, and its element type: an address
//   tensor:4096x1024               likewise; its extents and strides in elements are the parameters after it
//   ptr                            an address of other memory
//   -                              any of these: it is not known
#ifndef TILEWRIGHT_PIPELINE_EXPLAIN_LAUNCHFACTS_H
#define TILEWRIGHT_PIPELINE_EXPLAIN_LAUNCHFACTS_H

#include "predict/Scalar.h"
#include "runtime/Image.h"
#include <optional>

namespace tilewright {

struct LaunchArgument {
  enum class Kind { Unknown, Pointer, Number, Array };
  std::string text; // as it was given
  Kind kind = Kind::Unknown;
  std::optional<int64_t> integer; // of a number; nothing for a fraction
  std::string element;            // of an array, where it is said
  std::vector<int64_t> shape;     // likewise; a positive number may be an array of one dimension
  bool isTensor = false;          // it fills several parameters

  /// Strides of a contiguous array, the last dimension innermost.
  std::vector<int64_t> strides() const;
};

struct LaunchFacts {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<LaunchArgument> arguments;
};

/// One to three positive extents, as in `64,64`.
llvm::Expected<std::array<int64_t, 3>> parseGrid(llvm::StringRef text);
llvm::Expected<LaunchArgument> parseLaunchArgument(llvm::StringRef text);
/// Nothing if there is no grid; an error for arguments without one.
llvm::Expected<std::optional<LaunchFacts>> parseLaunchFacts(llvm::StringRef grid,
                                                            llvm::ArrayRef<std::string> arguments);

/// The launch of an entry with these parameters. Without arguments nothing but the grid is known of it. Pointers are
/// addresses of different memory, as an allocator gives them.
llvm::Expected<predict::Launch> launchOf(const LaunchFacts &facts, llvm::StringRef entry,
                                         llvm::ArrayRef<EntryParameter> parameters);
/// The address that `launchOf` gives parameter number `index`.
int64_t addressOfParameter(size_t index);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_EXPLAIN_LAUNCHFACTS_H
