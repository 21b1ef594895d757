// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exact reports of checked mode. The programs are bodies of an entry with the given parameters, whose arrays
// have 64 elements; its first line is line 2.
#include "interpreter/check/TestLaunch.h"

using namespace tilewright::interpreter;

namespace {

std::string reportOn(llvm::StringRef body, llvm::StringRef parameters = "%a: tile<ptr<i32>>",
                     std::array<int64_t, 3> grid = {1, 1, 1}, int64_t scalar = 0) {
  std::string text = ("cuda_tile.module @m { entry @k(" + parameters + ") {\n" + body + "\nreturn\n} }").str();
  return CheckedLaunch(text, "k.mlir", grid, 64, scalar).report;
}

// Of one finding: the message without place, source and count.
std::string messageOn(llvm::StringRef body, llvm::StringRef parameters = "%a: tile<ptr<i32>>", int64_t scalar = 0) {
  llvm::StringRef report;
  std::string text = reportOn(body, parameters, {1, 1, 1}, scalar);
  report = text;
  EXPECT_TRUE(report.ends_with("checked mode: 1 finding\n")) << text;
  return report.split(" error: ").second.split('\n').first.str();
}

// Eight integers of array a from element 8 * %index on; the array has 61.
const std::string view = R"(
%tensor = make_tensor_view %a, shape = [61], strides = [1] : tensor_view<61xi32, strides=[1]>
%view = make_partition_view %tensor : partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>
%zero = constant <i32: 0> : tile<i32>
%last = constant <i32: 7> : tile<i32>
)";
// The last tile, of which three elements are undefined.
const std::string partial = view + R"(
%x, %loaded = load_view_tko weak %view[%last] : partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
)";

} // namespace

TEST(Checker, showsBothPlacesOfARace) {
  EXPECT_EQ(
      reportOn(R"(%one = constant <i32: 1> : tile<i32>
%t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
%v, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token)"),
      R"(k.mlir:4:10: error: data race: this load in block (0, 0, 0) and a store touch a[0]; no token orders one after the other
%v, %u = load_ptr_tko weak %a : tile<ptr<i32>> -> tile<i32>, token
         ^
k.mlir:3:6: note: the store, in block (0, 0, 0)
%t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
     ^
checked mode: 1 finding
)");
}

TEST(Checker, saysOnceWhatHappensOften) {
  EXPECT_EQ(
      reportOn("%one = constant <i32: 1> : tile<i32>\n"
               "%t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token",
               "%a: tile<ptr<i32>>", {2, 3, 1}),
      R"(k.mlir:3:6: error: data race: this store touches a[0] in block (0, 0, 0) and in block (1, 0, 0); no release and acquire order one after the other
%t = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token
     ^
  found 5 times; this is the first
checked mode: 1 finding
)");
}

TEST(Checker, saysWhyRacesAreRaces) {
  EXPECT_EQ(messageOn("%i = constant <i32: [0, 3, 3, 2]> : tile<4xi32>\n"
                      "%one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>\n"
                      "%all = broadcast %one : tile<1xptr<i32>> -> tile<4xptr<i32>>\n"
                      "%p = offset %all, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>\n"
                      "%t = store_ptr_tko weak %p, %i : tile<4xptr<i32>>, tile<4xi32> -> token"),
            "data race: two elements of this store go to a[3], in block (0, 0, 0); make the places distinct, or the "
            "store atomic (relaxed tl_blk)");
  EXPECT_EQ(
      messageOn("%zero = constant <i32: 0> : tile<i32>\n%one = constant <i32: 1> : tile<i32>\n"
                "for %i in (%zero to %one, step %one) : tile<i32> {\n"
                "%v, %t = atomic_rmw_tko relaxed tl_blk %a, add, %one : tile<ptr<i32>>, tile<i32> -> tile<i32>, token\n"
                "}\n%u = store_ptr_tko weak %a, %one : tile<ptr<i32>>, tile<i32> -> token"),
      "data race: this store in block (0, 0, 0) and an atomic update touch a[0]; no token orders one after the other");
}

TEST(Checker, accessesOutsideOfArrays) {
  auto at = [](llvm::StringRef offset, llvm::StringRef access) {
    return messageOn(("%n = constant <i32: " + offset +
                      "> : tile<i32>\n%p = offset %a, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n" + access)
                         .str());
  };
  const char *load = "%v, %u = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token";
  const char *store = "%u = store_ptr_tko weak %p, %n : tile<ptr<i32>>, tile<i32> -> token";
  EXPECT_EQ(at("64", load), "this load reads a[64], but a has 64 elements, in block (0, 0, 0)");
  EXPECT_EQ(at("-1", store), "this store writes a[-1], but a has 64 elements, in block (0, 0, 0)");
  EXPECT_EQ(
      at("64", "%v, %u = atomic_rmw_tko relaxed device %p, add, %n : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"),
      "this atomic update writes a[64], but a has 64 elements, in block (0, 0, 0)");
  EXPECT_EQ(messageOn("%p = int_to_ptr %n : tile<i64> -> tile<ptr<i32>>\n"
                      "%v, %u = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token",
                      "%n: tile<i64>", 4096),
            "this load reads address 0x1000, which is in no array, in block (0, 0, 0)");
}

TEST(Checker, constantsAreNotWritten) {
  CheckedLaunch launch(R"(cuda_tile.module @m {
  global constant @table <i32: [1, 2]> : tile<2xi32>
  entry @k() {
    %g = get_global @table : tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
    %u = store_ptr_tko weak %g, %v token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }
})",
                       "k.mlir", {1, 1, 1});
  EXPECT_TRUE(
      llvm::StringRef(launch.report)
          .starts_with(
              "k.mlir:6:10: error: this store writes global @table[0], which is read-only, in block (0, 0, 0)\n"))
      << launch.report;
}

TEST(Checker, indicesOfViews) {
  auto load = [](llvm::StringRef index, llvm::StringRef inbounds = "") {
    return messageOn(
        view + ("%i = constant <i32: " + index + "> : tile<i32>\n%v, %t = load_view_tko weak %view[%i] " + inbounds +
                " : partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token")
                   .str());
  };
  EXPECT_EQ(load("8"), "index 8 in dimension 0 of the view, expected 0 to 7, in block (0, 0, 0)");
  EXPECT_EQ(load("-1"), "index -1 in dimension 0 of the view, expected 0 to 7, in block (0, 0, 0)");
  EXPECT_EQ(messageOn(R"(%n = constant <i32: 0> : tile<i32>
%tensor = make_tensor_view %a, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
%view = make_partition_view %tensor : partition_view<tile=(8), padding_value = zero, tensor_view<?xi32, strides=[1]>>
%v, %t = load_view_tko weak %view[%n] : partition_view<tile=(8), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token)"),
            "index 0 in dimension 0 of the view, whose index space is empty, in block (0, 0, 0)");
  EXPECT_EQ(load("7", "inbounds = [true]"), "the tile leaves the tensor in dimension 0 of the view, contrary to "
                                            "'inbounds', in block (0, 0, 0)");
}

// A view may be larger than the array below it.
TEST(Checker, viewsBeyondTheirArray) {
  EXPECT_EQ(reportOn(R"(%n = constant <i32: 8> : tile<i32>
%tensor = make_tensor_view %a, shape = [100], strides = [1] : tensor_view<100xi32, strides=[1]>
%view = make_partition_view %tensor : partition_view<tile=(8), tensor_view<100xi32, strides=[1]>>
%v, %t = load_view_tko weak %view[%n] : partition_view<tile=(8), tensor_view<100xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token)"),
            R"(k.mlir:5:10: error: this load reads a[64], but a has 64 elements, in block (0, 0, 0)
%v, %t = load_view_tko weak %view[%n] : partition_view<tile=(8), tensor_view<100xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
         ^
  found 8 times; this is the first
checked mode: 1 finding
)");
}

TEST(Checker, falseAssumptions) {
  auto assume = [](llvm::StringRef predicate, llvm::StringRef values = "[4, 8, 12, 20]") {
    return messageOn(
        ("%x = constant <i32: " + values + "> : tile<4xi32>\n%y = assume " + predicate + ", %x : tile<4xi32>").str());
  };
  EXPECT_EQ(assume("div_by<8>"), "a false assumption: element [0] is 4, expected a multiple of 8, in block (0, 0, 0)");
  EXPECT_EQ(assume("bounded<0, 12>"),
            "a false assumption: element [3] is 20, expected at least 0 and at most 12, in block (0, 0, 0)");
  EXPECT_EQ(assume("same_elements<[2]>", "[4, 4, 5, 6]"),
            "a false assumption: element [3] is 6, expected the first of its group, in block (0, 0, 0)");
}

TEST(Checker, undefinedValuesThatMatter) {
  auto use = [](llvm::StringRef how) { return messageOn(partial + how.str()); };
  EXPECT_EQ(reportOn(partial + "%u = store_view_tko weak %x, %view[%zero] token = %loaded : tile<8xi32>, "
                               "partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, tile<i32> -> token"),
            R"(k.mlir:9:6: error: element [5] of the stored value is undefined, in block (0, 0, 0)
%u = store_view_tko weak %x, %view[%zero] token = %loaded : tile<8xi32>, partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, tile<i32> -> token
     ^
k.mlir:8:15: note: undefined since here: a load beyond the tensor from a view without a padding value
%x, %loaded = load_view_tko weak %view[%last] : partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, tile<i32> -> tile<8xi32>, token
              ^
  found 3 times; this is the first
checked mode: 1 finding
)");
  EXPECT_EQ(use("%c = cmpi less_than %x, %x, signed : tile<8xi32> -> tile<8xi1>\nassert %c, \"less\" : tile<8xi1>"),
            "element [5] of the condition of the assert is undefined, in block (0, 0, 0)");
  EXPECT_EQ(use("%s = extract %x[%last] : tile<8xi32> -> tile<1xi32>\n%r = reshape %s : tile<1xi32> -> tile<i32>\n%c = "
                "cmpi equal %r, %zero, signed : tile<i32> -> tile<i1>\nif %c {\n}"),
            "the condition of the branch is undefined, in block (0, 0, 0)");
  EXPECT_EQ(use("%s = extract %x[%last] : tile<8xi32> -> tile<1xi32>\n%r = reshape %s : tile<1xi32> -> tile<i32>\nfor "
                "%i in (%zero to %r, step %last) : tile<i32> {\n}"),
            "a bound of the loop is undefined, in block (0, 0, 0)");
  EXPECT_EQ(use("%s = extract %x[%last] : tile<8xi32> -> tile<1xi32>\n%r = reshape %s : tile<1xi32> -> tile<i32>\n%p = "
                "offset %a, %r : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>\n%v, %t = load_ptr_tko weak %p : "
                "tile<ptr<i32>> -> tile<i32>, token"),
            "the address is undefined, in block (0, 0, 0)");
  EXPECT_EQ(use("%s = extract %x[%last] : tile<8xi32> -> tile<1xi32>\n%r = reshape %s : tile<1xi32> -> tile<i32>\n%v, "
                "%t = load_view_tko weak %view[%r] : partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, "
                "tile<i32> -> tile<8xi32>, token"),
            "the index is undefined, in block (0, 0, 0)");
  EXPECT_EQ(use("%s = reduce %x dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> (%p0: tile<i32>, %p1: tile<i32>) "
                "{\n%s = addi %p0, %p1 : tile<i32>\nyield %s : tile<i32>\n}\n%v, %t = atomic_rmw_tko relaxed device "
                "%a, add, %s token=%loaded : tile<ptr<i32>>, tile<i32> -> tile<i32>, token"),
            "the operand of the atomic is undefined, in block (0, 0, 0)");
  EXPECT_EQ(
      messageOn(
          "%m = alloca num_elem = 4, alignment = 4 : tile<ptr<i32>>\n%v, %t = load_ptr_tko weak %m : tile<ptr<i32>> -> "
          "tile<i32>, token\n%u = store_ptr_tko weak %a, %v : tile<ptr<i32>>, tile<i32> -> token"),
      "the stored value is undefined, in block (0, 0, 0)");
}

// Loaded, moved, computed with, and in the end not used where it is undefined.
TEST(Checker, undefinedValuesThatDoNot) {
  EXPECT_EQ(reportOn(partial + "%u = store_view_tko weak %x, %view[%last] token = %loaded : tile<8xi32>, "
                               "partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, tile<i32> -> token"),
            "");
  EXPECT_EQ(reportOn(partial + R"(
%i = iota : tile<8xi32>
%five = constant <i32: 5> : tile<8xi32>
%none = constant <i32: 0> : tile<8xi32>
%inside = cmpi less_than %i, %five, signed : tile<8xi32> -> tile<8xi1>
%twice = addi %x, %x : tile<8xi32>
%y = select %inside, %twice, %none : tile<8xi1>, tile<8xi32>
%u = store_view_tko weak %y, %view[%zero] token = %loaded : tile<8xi32>, partition_view<tile=(8), tensor_view<61xi32, strides=[1]>>, tile<i32> -> token
%large = cmpi greater_than %x, %none, signed : tile<8xi32> -> tile<8xi1>
%both = andi %inside, %large : tile<8xi1>
%one = reshape %a : tile<ptr<i32>> -> tile<1xptr<i32>>
%all = broadcast %one : tile<1xptr<i32>> -> tile<8xptr<i32>>
%p = offset %all, %i : tile<8xptr<i32>>, tile<8xi32> -> tile<8xptr<i32>>
%v = store_ptr_tko weak %p, %x, %both token=%u : tile<8xptr<i32>>, tile<8xi32>, tile<8xi1> -> token
)"),
            "");
}

// Rows of a product need rows of the left operand and columns columns of the right one.
TEST(Checker, undefinedRowsOfProducts) {
  std::string product = R"(
%zero = constant <i32: 0> : tile<i32>
%tensor = make_tensor_view %a, shape = [6, 8], strides = [8, 1] : tensor_view<6x8xf32, strides=[8,1]>
%view = make_partition_view %tensor : partition_view<tile=(8x8), tensor_view<6x8xf32, strides=[8,1]>>
%x, %t = load_view_tko weak %view[%zero, %zero] : partition_view<tile=(8x8), tensor_view<6x8xf32, strides=[8,1]>>, tile<i32> -> tile<8x8xf32>, token
%acc = constant <f32: 0.0> : tile<8x8xf32>
%z = permute %x [1, 0] : tile<8x8xf32> -> tile<8x8xf32>
)";
  std::string store = "%u = store_view_tko weak %y, %view[%zero, %zero] token = %t : tile<8x8xf32>, "
                      "partition_view<tile=(8x8), tensor_view<6x8xf32, strides=[8,1]>>, tile<i32> -> token";
  EXPECT_EQ(reportOn(product + "%y = mmaf %x, %acc, %acc : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n" + store,
                     "%a: tile<ptr<f32>>"),
            "");
  EXPECT_EQ(messageOn(product + "%y = mmaf %acc, %z, %acc : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n" + store,
                      "%a: tile<ptr<f32>>"),
            "element [0, 6] of the stored value is undefined, in block (0, 0, 0)");
  EXPECT_EQ(messageOn(product + "%y = mmaf %acc, %x, %acc : tile<8x8xf32>, tile<8x8xf32>, tile<8x8xf32>\n" + store,
                      "%a: tile<ptr<f32>>"),
            "element [0, 0] of the stored value is undefined, in block (0, 0, 0)");
}

TEST(Checker, undefinedArithmetic) {
  auto on = [](llvm::StringRef operation, llvm::StringRef a, llvm::StringRef b, llvm::StringRef type = "i32") {
    return messageOn(("%x = constant <" + type + ": " + a + "> : tile<" + type + ">\n%y = constant <" + type + ": " +
                      b + "> : tile<" + type + ">\n%z = " + operation)
                         .str());
  };
  const std::string block = ", in block (0, 0, 0)";
  EXPECT_EQ(on("divi %x, %y signed : tile<i32>", "1", "0"), "division by zero" + block);
  EXPECT_EQ(on("remi %x, %y unsigned : tile<i32>", "1", "0"), "division by zero" + block);
  EXPECT_EQ(on("divi %x, %y signed : tile<i32>", "-2147483648", "-1"),
            "division of the smallest integer by -1" + block);
  EXPECT_EQ(on("shli %x, %y : tile<i32>", "1", "32"), "shift by the width or more" + block);
  EXPECT_EQ(on("shri %x, %y signed : tile<i32>", "1", "-1"), "shift by the width or more" + block);
  const std::string promised = "overflow, which the operation promised would not happen" + block;
  EXPECT_EQ(on("addi %x, %y overflow<no_signed_wrap> : tile<i32>", "2147483647", "1"), "signed " + promised);
  EXPECT_EQ(on("muli %x, %y overflow<no_unsigned_wrap> : tile<i32>", "65536", "65536"), "unsigned " + promised);
  EXPECT_EQ(on("ftoi %x signed : tile<f32> -> tile<i32>", "3.0e9", "0.0", "f32"),
            "a float that does not fit the integer" + block);
}

TEST(Checker, negativeScales) {
  EXPECT_EQ(messageOn(R"(%l = constant <f4E2M1FN: 1.0> : tile<16x32xf4E2M1FN>
%r = constant <f4E2M1FN: 1.0> : tile<32x16xf4E2M1FN>
%acc = constant <f32: 0.0> : tile<16x16xf32>
%ls = constant <f8E4M3FN: -1.0> : tile<16x2xf8E4M3FN>
%rs = constant <f8E4M3FN: 1.0> : tile<2x16xf8E4M3FN>
%v = mmaf_scaled %l, %r, %acc, %ls, %rs : tile<16x32xf4E2M1FN>, tile<32x16xf4E2M1FN>, tile<16x16xf32>, tile<16x2xf8E4M3FN>, tile<2x16xf8E4M3FN>)"),
            "a negative scale, in block (0, 0, 0)");
}

// Two elements of f4E2M1FN share a byte, which is no overlap within a store.
TEST(Checker, halvesOfBytes) {
  EXPECT_EQ(reportOn(R"(%v = constant <f4E2M1FN: 1.0> : tile<8xf4E2M1FN>
%x, %y, %z = get_tile_block_id : tile<i32>
%tensor = make_tensor_view %a, shape = [64], strides = [1] : tensor_view<64xf4E2M1FN, strides=[1]>
%eight = make_partition_view %tensor : partition_view<tile=(8), tensor_view<64xf4E2M1FN, strides=[1]>>
%u = store_view_tko weak %v, %eight[%x] : tile<8xf4E2M1FN>, partition_view<tile=(8), tensor_view<64xf4E2M1FN, strides=[1]>>, tile<i32> -> token)",
                     "%a: tile<ptr<f4E2M1FN>>", {4, 1, 1}),
            "");
}

TEST(Checker, resultsOfMaskedAtomics) {
  EXPECT_EQ(messageOn(R"(%m = constant <i1: false> : tile<i1>
%one = constant <i32: 1> : tile<i32>
%v, %t = atomic_rmw_tko relaxed device %a, add, %one, %m : tile<ptr<i32>>, tile<i32>, tile<i1> -> tile<i32>, token
%u = store_ptr_tko weak %a, %v token=%t : tile<ptr<i32>>, tile<i32> -> token)"),
            "the stored value is undefined, in block (0, 0, 0)");
}

TEST(Checker, loopsThatDoNotStep) {
  EXPECT_EQ(messageOn("%zero = constant <i32: 0> : tile<i32>\nfor %i in (%zero to %zero, step %zero) : tile<i32> {\n}"),
            "the step of the loop is 0, expected a positive one, in block (0, 0, 0)");
}

TEST(Checker, arraysThatOverlap) {
  mlir::MLIRContext context;
  context.loadDialect<tilewright::cuda_tile::CudaTileDialect>();
  auto module = tilewright::parseModuleText(
      llvm::MemoryBufferRef("cuda_tile.module @m { entry @k() {\nreturn\n} }", "k.mlir"), &context);
  auto tileModule = *module->getOps<tilewright::cuda_tile::ModuleOp>().begin();
  auto entry = *tileModule.getOps<tilewright::cuda_tile::EntryOp>().begin();
  CheckedArray x, y;
  x.name = "x";
  y.name = "y";
  x.address = 1000;
  y.address = 1020;
  for (CheckedArray *array : {&x, &y}) {
    array->elementBytes = 4;
    array->shape = {6};
    array->byteStrides = {4};
  }
  auto report = [&] {
    Checker checker({x, y});
    checker.beginLaunch(entry, {}, {1, 1, 1});
    return checker.report();
  };
  EXPECT_EQ(report(), "");
  y.isWritten = true;
  EXPECT_EQ(report(), "k.mlir:1:23: error: the arrays x and y overlap, and the kernel writes to y; it may count on "
                      "disjoint arrays, unless they share an alias group\nchecked mode: 1 finding\n");
  x.aliasGroups = {"g"};
  y.aliasGroups = {"h", "g"};
  EXPECT_EQ(report(), "");
}
