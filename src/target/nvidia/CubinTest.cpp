// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Cubin.h"
#include "support/Guard.h"
#include "gtest/gtest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::nvidia;

namespace {

const char *const kernelText = R"(.version 7.8
.target sm_80
.address_size 64
.visible .entry first(.param .u64 out)
.reqntid 64
{
  .reg .b32 %r<3>;
  .shared .b8 tile[512];
  mov.u32 %r1, tile;
  st.shared.u32 [%r1], %r1;
  bar.sync 0;
  ret;
}
.visible .entry second() { ret; }
)";

const Architecture &architecture(llvm::StringRef name) {
  return **parseArchitecture(name);
}

// A program that is no assembler.
class Script {
public:
  explicit Script(llvm::StringRef text) : remover("") {
    int descriptor;
    llvm::sys::fs::createTemporaryFile("tilewright-ptxas", "", descriptor, path);
    {
      llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
      os << "#!/bin/sh\n" << text << '\n';
    }
    llvm::sys::fs::setPermissions(path, llvm::sys::fs::owner_all);
    remover.setFile(path);
  }
  CubinOptions options() const {
    CubinOptions options;
    options.search.path = path.str().str();
    return options;
  }
  std::string name() const { return "ptxas " + path.str().str(); }

private:
  llvm::SmallString<128> path;
  llvm::FileRemover remover;
};

std::string refusal(llvm::StringRef ptx, const CubinOptions &options, llvm::StringRef name = "sm_80") {
  auto cubin = assembleCubin(ptx, architecture(name), options);
  return cubin ? "" : llvm::toString(cubin.takeError());
}

// One of each kind that this machine has.
std::vector<Assembler> assemblersHere() {
  std::vector<Assembler> each;
  for (const Assembler &assembler : findAssemblers({}))
    if (llvm::none_of(each, [&](const Assembler &known) { return known.kind == assembler.kind; }))
      each.push_back(assembler);
  return each;
}

} // namespace

TEST(Cubin, anAssemblerSaysWhatKernelsUse) {
  if (assemblersHere().empty())
    GTEST_SKIP() << "no assembler of PTX in PATH or /usr/local/cuda";
  for (const Assembler &assembler : assemblersHere()) {
    CubinOptions options;
    options.search.path = assembler.path;
    auto cubin = assembleCubin(kernelText, architecture("sm_80"), options);
    ASSERT_TRUE(bool(cubin)) << llvm::toString(cubin.takeError());
    EXPECT_EQ(cubin->assembler.path, assembler.path);
    ASSERT_EQ(cubin->kernels.size(), 2u);
    auto first = llvm::find_if(cubin->kernels, [](const KernelResources &kernel) { return kernel.name == "first"; });
    ASSERT_NE(first, cubin->kernels.end());
    EXPECT_GT(first->registers, 0u);
    EXPECT_EQ(first->barriers, 1u);
    EXPECT_EQ(first->sharedBytes, 512u);
    EXPECT_EQ(first->spillStoreBytes, 0u);
    EXPECT_GT(first->codeBytes, 0u);
    EXPECT_GT(first->constantBytes, 8u); // its parameter is among them
    auto file = readCubin(cubin->bytes);
    ASSERT_TRUE(bool(file));
    EXPECT_NE(file->writer.find("release"), std::string::npos) << file->writer;

    for (size_t size : {size_t(0), size_t(10), size_t(64), cubin->bytes.size() / 2, cubin->bytes.size() - 1}) {
      auto truncated = readCubin(llvm::StringRef(cubin->bytes).take_front(size));
      if (truncated)
        continue; // nothing that is looked at is missing
      EXPECT_TRUE(llvm::StringRef(llvm::toString(truncated.takeError())).starts_with("the file is no cubin: "));
    }
  }
}

TEST(Cubin, wrongPtxIsShownWithItsLine) {
  if (assemblersHere().empty())
    GTEST_SKIP() << "no assembler of PTX in PATH or /usr/local/cuda";
  for (const Assembler &assembler : assemblersHere()) {
    CubinOptions options;
    options.search.path = assembler.path;
    std::string wrong = kernelText;
    wrong.replace(wrong.find("bar.sync"), 3, "bxr");
    std::string text = refusal(wrong, options);
    EXPECT_NE(text.find("refused the PTX for sm_80 at line 11, 'bxr.sync 0;': Not a name of any known instruction"),
              std::string::npos)
        << text;
    text = refusal(llvm::StringRef(kernelText).take_front(150), options);
    EXPECT_NE(text.find("refused the PTX for sm_80 at line "), std::string::npos) << text;
    std::string newer = kernelText;
    newer.replace(newer.find("7.8"), 3, "9.9");
    text = refusal(newer, options);
    EXPECT_NE(text.find(" is too old: it reads PTX up to "), std::string::npos) << text;
    EXPECT_NE(text.find(", the code for sm_80 is PTX 9.9"), std::string::npos) << text;
  }
}

TEST(Cubin, whatIsNoPtxIsRefusedAtOnce) {
  for (const char *text : {"", "garbage",
                           "\x7f"
                           "ELF"})
    EXPECT_EQ(refusal(text, {}), "the text to assemble is no PTX, expected a directive .version");
}

TEST(Cubin, anAssemblerThatIsNotThere) {
  CubinOptions options;
  options.search.path = "/nowhere/ptxas";
  EXPECT_EQ(refusal(kernelText, options), "ptxas /nowhere/ptxas cannot be used: cannot start /nowhere/ptxas: No such "
                                          "file or directory");
  options.search.path = "/nowhere/libnvJitLink.so.13";
  EXPECT_EQ(refusal(kernelText, options),
            "nvJitLink /nowhere/libnvJitLink.so.13 cannot be used: /nowhere/libnvJitLink.so.13: cannot open shared "
            "object file: No such file or directory");
}

TEST(Cubin, anOldAssemblerIsNamedWithBothVersions) {
  Script old("echo \"ptxas /dev/stdin, line 1; fatal   : Unsupported .version 8.6; current version is '7.0'\" >&2; "
             "exit 255");
  EXPECT_EQ(refusal(kernelText, old.options(), "sm_90"),
            old.name() + " is too old: it reads PTX up to 7.0, the code for sm_90a is PTX 8.6, which CUDA 12.7 and "
                         "later read; pip install -U nvidia-nvjitlink has the newest, TILEWRIGHT_ASSEMBLER names "
                         "another");
  Script older("echo \"ptxas fatal   : Value 'sm_90a' is not defined for option 'gpu-name'\" >&2; exit 1");
  EXPECT_EQ(refusal(kernelText, older.options(), "sm_90"),
            older.name() + " is too old: it does not know sm_90a; pip install -U nvidia-nvjitlink has the newest, "
                           "TILEWRIGHT_ASSEMBLER names another");
}

TEST(Cubin, theDriverAssemblesWhatItLoads) {
  CubinOptions options;
  options.search.path = "driver";
  EXPECT_EQ(refusal(kernelText, options),
            "the CUDA driver cannot be used: it assembles for launches only and writes no "
            "file, expected libnvJitLink or ptxas");
  options.search.driver = 11070;
  EXPECT_EQ(refusal(kernelText, options),
            "the CUDA driver cannot be used: it is of CUDA 11.7 and reads no PTX 7.8, which "
            "CUDA 11.8 and later read; pip install nvidia-nvjitlink has an assembler");
  options.search.driver = 11080;
  auto code = assembleCubin(kernelText, architecture("sm_80"), options);
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  EXPECT_EQ(code->bytes, kernelText);
  EXPECT_EQ(code->assembler.kind, Assembler::Kind::Driver);
  // The last to be asked.
  options.search.path.clear();
  EXPECT_EQ(findAssemblers(options.search).back().kind, Assembler::Kind::Driver);
}

TEST(Cubin, aProgramThatIsNoAssembler) {
  Script silent("exit 3");
  EXPECT_EQ(refusal(kernelText, silent.options()), silent.name() + " refused the PTX for sm_80: it gave no reason");
  Script empty("exit 0");
  EXPECT_NE(refusal(kernelText, empty.options()).find("cannot be used: it wrote no cubin"), std::string::npos);
  Script killed("kill -SEGV $$");
  EXPECT_EQ(refusal(kernelText, killed.options()), killed.name() + " cannot be used: it was killed by signal 11");
}

TEST(Cubin, anAssemblerThatHangsIsStoppedWithItsChildren) {
  Script hangs("sleep 100 & wait");
  CubinOptions options = hangs.options();
  options.time = std::chrono::milliseconds(100);
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal(kernelText, options), hangs.name() + " was stopped, it did not come to an end in time");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Cubin, aGuardedBodyEndsWithItsAssembler) {
  auto hangs = std::make_shared<Script>("sleep 100");
  Limits limits{std::chrono::milliseconds(200), {}};
  llvm::Error error = runGuarded(
      [hangs] {
        auto cubin = assembleCubin(kernelText, architecture("sm_80"), hangs->options());
        return cubin ? llvm::Error::success() : cubin.takeError();
      },
      limits);
  EXPECT_EQ(llvm::toString(std::move(error)), "the compiler was not done after 0.2 s");
}

TEST(Cubin, otherFilesAreNoCubins) {
  auto file = readCubin("no ELF at all, but long enough to have a header of sixty-four bytes.....");
  ASSERT_FALSE(bool(file));
  EXPECT_TRUE(llvm::StringRef(llvm::toString(file.takeError())).starts_with("the file is no cubin: "));
}

TEST(Cubin, resourcesAreReadFromTheLogOfEitherAssembler) {
  std::vector<KernelResources> kernels(2);
  kernels[0].name = "a";
  kernels[1].name = "b";
  readResources("ptxas info    : 0 bytes gmem\n"
                "ptxas info    : Compiling entry function 'b' for 'sm_80'\n"
                "ptxas info    : Function properties for b\n"
                "    40 bytes stack frame, 36 bytes spill stores, 28 bytes spill loads\n"
                "ptxas info    : Used 255 registers, used 3 barriers, 49152 bytes smem, 360 bytes cmem[0]\n"
                "ptxas info    : Compiling entry function 'a' for 'sm_80'\n"
                "ptxas info    : Function properties for a\n"
                "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                "ptxas info    : Used 4 registers, 512 bytes smem\n",
                kernels);
  EXPECT_EQ(kernels[0].registers, 4u);
  EXPECT_EQ(kernels[0].barriers, 0u);
  EXPECT_EQ(kernels[0].sharedBytes, 512u);
  EXPECT_EQ(kernels[1].registers, 255u);
  EXPECT_EQ(kernels[1].barriers, 3u);
  EXPECT_EQ(kernels[1].stackBytes, 40u);
  EXPECT_EQ(kernels[1].spillStoreBytes, 36u);
  EXPECT_EQ(kernels[1].spillLoadBytes, 28u);
}
