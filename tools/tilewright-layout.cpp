// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shows a layout: its text, and a table of who holds what; or how a tile gets from one layout into another.
#include "layout/LayoutTable.h"
#include "layout/NamedLayouts.h"
#include "layout/conversion/Conversion.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace tilewright::layout;

namespace {

cl::OptionCategory category("Options of tilewright-layout");
cl::opt<std::string> name(cl::Positional, cl::Required, cl::cat(category),
                          cl::desc("<a layout's text, or a name as mma.m16n8k16.f16.c, wgmma.m64n16k16.f16.c, "
                                   "ldmatrix.x4.trans, tcgen05.16x64b.x4, blocked.64x64.f16.w4, rows.8x64, "
                                   "tma.8x64.f16.128B>"));
cl::opt<std::string> to("to", cl::cat(category), cl::desc("Convert to this layout of the same tile"));
cl::opt<unsigned> bits("bits", cl::init(16), cl::cat(category), cl::desc("Width of an element (default 16)"));

int fail(const Twine &message) {
  WithColor::error(errs(), "tilewright-layout") << message << '\n';
  return EXIT_FAILURE;
}

bool isDistributed(const LinearLayout &layout) {
  return layout.isSurjective() && all_of(layout.inputs(), [](DimSize in) { return in.dim <= Dim::Block; });
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Shows layouts of tiles\n");
  Expected<LinearLayout> layout = layoutByName(name);
  if (!layout)
    return fail(toString(layout.takeError()));
  if (to.empty()) {
    outs() << layout->str() << "\n\n" << layoutTable(*layout);
    return EXIT_SUCCESS;
  }
  Expected<LinearLayout> target = layoutByName(to);
  if (!target)
    return fail(toString(target.takeError()));
  if (layout->shape() != target->shape())
    return fail("the layouts are of tiles of different shapes");
  if (!isDistributed(*layout) || !isDistributed(*target))
    return fail("a conversion is between layouts over registers, lanes and warps that hold the whole tile");
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return fail("found elements of " + Twine(bits) + " bits, expected 8, 16, 32 or 64");
  std::optional<Conversion> conversion = chooseConversion(*layout, *target, {bits});
  if (!conversion)
    return fail("blocks of a cluster would have to exchange values");
  outs() << conversion->str() << '\n';
  if (conversion->kind == ConversionKind::Shared)
    outs() << "shared memory: " << conversion->shared.shared.str() << '\n';
  return EXIT_SUCCESS;
}
