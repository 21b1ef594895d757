// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the table of options.
#include "options/Option.h"

#include <limits>

namespace tilewright {
namespace {

using namespace visibility;
using Kind = Values::Kind;
constexpr double mostWhole = static_cast<double>(std::numeric_limits<int64_t>::max());

constexpr Values flag{Kind::Flag, "0 or 1"};
constexpr Values anySwitch{Kind::Switch, "0 or anything else"};
constexpr Values level{Kind::Whole, "a number from 0 to 3", 0, 3};
constexpr Values gpuNumber{Kind::Whole, "a number from 0 to 1023", 0, 1023};
constexpr Values count{Kind::Whole, "a number from 1", 1, mostWhole};
constexpr Values threads{Kind::Whole, "a number from 1 to 4096", 1, 4096};
constexpr Values plans{Kind::Whole, "a number from 0 to 100000", 0, 100000};
constexpr Values number{Kind::Whole, "a number from 0", 0, mostWhole};
constexpr Values seconds{Kind::Number, "seconds from 0 to 1e6", 0, 1e6};
constexpr Values positiveSeconds{Kind::Number, "seconds above 0, at most 1e6", 0, 1e6, true};
constexpr Values text{Kind::Text, "text"};
constexpr Values file{Kind::Text, "a file"};
constexpr Values folder{Kind::Text, "a folder"};
constexpr Values folders{Kind::Paths, "folders with colons between"};
constexpr Values cacheFolder{Kind::TextOrOff, "a folder; 0, off, none or nothing for no cache", 0, 0, false, "", true};
constexpr Values profile{Kind::TextOrOff, "1 for the terminal, or a file; 0, off or none for nothing"};
constexpr Values version{Kind::Version, "two numbers with a point between, as in 10.0"};
constexpr Values passes{Kind::Words, "names with commas between"};
constexpr Values repeated{Kind::Repeated, "text"};
constexpr Values simulated{Kind::Choice, "tileas", 0, 0, false, "tileas"};
constexpr Values isolation{Kind::Choice, "never or large or always", 0, 0, false, "never|large|always"};
constexpr Values traceback{Kind::Choice, "program or full", 0, 0, false, "program|full"};
constexpr Values diagnosticsFormat{Kind::Choice, "gcc, json or sarif", 0, 0, false, "gcc|json|sarif"};
constexpr Values math{Kind::Choice, "own or libdevice-bits", 0, 0, false, "own|libdevice-bits"};
constexpr Values launchAbi{Kind::Choice, "tilewright or portable", 0, 0, false, "tilewright|portable"};
constexpr Values marks{Kind::Words,     "nvtx, torch or jax, or several with commas between", 0, 0, false,
                       "NVTX|TORCH|JAX"};
constexpr Values logs{Kind::Words,      "CUTILEIR or TILEIR, or several with commas between", 0, 0, false,
                      "CUTILEIR|TILEIR"};

// clang-format off
constexpr Option table[] = {
    // Output.
    {"output", 'o', Compile | Explain | Plan | Dis | As | Info | Doctor | Check | Trace | Profile, "", file, "-",
     "output file, - for the terminal", "FILE"},

    // The compilation.
    {"signature", 0, Compile | Explain | Plan | Trace, "", text, "",
     "argument types of a Python kernel, as in 'float32[:,::1]@16, int32, 128'", "TYPES"},
    {"target", 0, Compile | Explain | Plan | Check | Trace, "", text, "cpu",
     "target of the code: cpu, cpu:host, cpu:x86-64-v2, cpu:x86-64-v3, cpu:x86-64-v4, cpu:sapphirerapids, "
     "cpu:aarch64, also with features as aarch64+sve2, cpu:neoverse-n1 and others, or nvidia:sm_90 and others",
     "TARGET"},
    {"target", 0, Run | Profile, "TILEWRIGHT_TARGET", text, "", "target of launches: `cpu`, `cpu:x86-64-v3`, `nvidia` and others",
     "TARGET", "the GPU that the arrays are on, else this machine's CPU"},
    {"emit", 0, Compile, "", text, "",
     "level of the target: of cpu cuda_tile, tilebc, tileaa, linalg, plan, llvm, asm, obj (default) or so; of nvidia "
     "cuda_tile, tilebc, tileaa, tileas, plan, llvm, ptx or cubin (default)", "LEVEL"},
    {"opt-level", 0, Compile | Explain | Trace | Session, "", level, "1", "level of LLVM's optimizer", "N"},
    {"lineinfo", 0, Compile | Explain | Session, "", flag, "0", "code, and the text of each level, has the line numbers of the source"},
    {"g", 0, Compile | Session, "", flag, "0", "code of nvidia is for a debugger, without optimization"},
    {"records", 0, Compile | Session, "", flag, "0",
     "agents of a kernel for nvidia note what they do when, for `tilewright profile`"},
    {"math", 0, Session, "TILEWRIGHT_MATH", math, "own",
     "`libdevice-bits`: kernels get NVIDIA's functions of f32, as [numerics.md](numerics.md) says"},
    {"launch-abi", 0, Session, "TILEWRIGHT_LAUNCH_ABI", launchAbi, "tilewright",
     "`portable`: kernels do without the tensor maps that our launcher encodes"},
    {"plan", 0, Compile | Explain | Plan | Trace | Session, "", file, "",
     "make the decisions of a file, as `tilewright plan` prints them", "FILE"},
    {"plan-text", 0, Session, "", text, "", "make the decisions of this text of a plan file", "TEXT"},
    {"", 0, 0, "TILEWRIGHT_LOCKS", folder, "", "folder of plan files: a kernel that Python launches on a GPU gets the"
     " decisions of its file there, and one without a file gets a file ([planning.md](planning.md#locked-plans))", "",
     "nothing"},
    {"", 0, 0, "TILEWRIGHT_SEARCH", plans, "0", "a kernel that Python launches on a GPU is compiled with the fastest of so"
     " many plans for its launch ([planning.md](planning.md#searching-at-launches)); 0 searches none"},
    {"time-limit", 0, Compile | Explain | Check | Trace | Session, "TILEWRIGHT_TIME_LIMIT", seconds, "60",
     "limit for compiling a kernel; 0 is no limit", "SECONDS", "", "CUDA_TILE_COMPILER_TIMEOUT_SEC"},
    {"isolate", 0, Session, "TILEWRIGHT_ISOLATE", isolation, "large",
     "kernels that are compiled in a child process"},
    {"verify", 0, Session, "TILEWRIGHT_VERIFY", flag, "0", "the module is verified after each pass"},
    {"", 0, 0, "TILEWRIGHT_REPRODUCER_DIR", folder, "", "folder for modules on which the compiler failed", "",
     "the system's folder for temporary files", "CUDA_TILE_TEMP_DIR"},
    {"fail-in", 0, Compile | Trace, "", text, "", "inject a failure, as in crash:cpu-plan", "PLACE", "", "", true},
    {"as-child", 0, ForParent, "", flag, "0", "work for another process", "", "", "", true},

    // NVIDIA's tools.
    {"assembler", 0, Compile | Explain | Trace | Session, "TILEWRIGHT_ASSEMBLER", text, "",
     "assembler of cubins: a `ptxas`, a `libnvJitLink`, or `driver`", "FILE", "the newest that is found"},
    {"packages", 0, Session, "", folders, "", "folders of NVIDIA's Python packages, which have assemblers"},

    // Reports.
    {"dump-after", 0, Compile, "", passes, "", "print the module after these passes, or after all", "PASS"},
    {"print-before-all", 0, Compile, "", flag, "0",
     "print the module before every pass, those of LLVM's optimizer included"},
    {"timing", 0, Compile, "", flag, "0", "print the time of each stage and pass"},
    {"resources", 0, Compile, "", flag, "0", "print the registers and memory of each kernel of a cubin"},
    {"remarks", 0, Compile | Session, "", flag, "0", "report remarks about the decisions of passes"},
    {"", 0, 0, "TILEWRIGHT_TRACEBACK", traceback, "program",
     "tracebacks of Python have the frames of the program, or also those of the package"},

    // Files of Tile IR.
    {"g", 0, Dis, "", flag, "0", "print locations"},
    {"bytecode-version", 0, As, "", text, "", "version to write, as in 13.3", "VERSION", "the newest"},
    {"format", 0, Check, "", diagnosticsFormat, "gcc",
     "form of the diagnostics: `gcc` for lines with carets, `json`, or `sarif` 2.1.0", "FORM"},
    {"json", 0, Explain | Plan | Info | Doctor | Profile, "", flag, "0", "print JSON"},

    // The cache.
    {"cache", 0, Session, "", folder, "", "folder of the cache for compiled kernels; empty for no cache"},
    {"", 0, 0, "TILEWRIGHT_CACHE_DIR", cacheFolder, "", "folder of the cache for kernels that Python launches", "",
     "`tilewright` in `$XDG_CACHE_HOME`, else in `~/.cache`", "CUDA_TILE_CACHE_DIR"},
    {"cache-bytes", 0, Session, "TILEWRIGHT_CACHE_SIZE", count, "1073741824",
     "size of the cache in bytes; the least recently used kernels are removed first", "", "1 GiB",
     "CUDA_TILE_CACHE_SIZE"},
    {"max-bytes", 0, CacheGc, "", count, "", "size in bytes", "N", "that of the cache"},

    // A launch.
    {"entry", 0, Explain | Plan | Trace | Run, "", text, "", "the entry to launch", "NAME", "the only one"},
    {"grid", 0, Run, "", text, "1", "number of tile blocks", "X,Y,Z"},
    {"arg", 0, Run, "", repeated, "",
     "the next parameter: a number; for a pointer FILE.npy, FILE.npz:NAME, zeros:16x32, arange:16x32 or random:16x32; "
     "with the prefix tensor: the extents and strides of an array are the parameters after the pointer", "ARG"},
    {"grid", 0, Explain | Plan | Trace, "", text, "", "number of tile blocks of a launch whose time is predicted", "X,Y,Z"},
    {"arg", 0, Explain | Plan | Trace, "", repeated, "",
     "the next parameter of that launch: a number; an array's shape as in 4096x1024 or bf16:4096x1024; with the prefix "
     "tensor: its extents and strides are the parameters after the pointer; `ptr` for other memory, `-` where it is not "
     "known", "ARG"},
    {"product", 0, Explain | Plan | Trace | Profile, "", text, "", "the GPU that a time is predicted for, as in H200", "NAME",
     "one that stands for the architecture"},
    {"search", 0, Explain | Plan, "", count, "",
     "try this many plans for that launch, and print the one that is predicted to be the fastest, or explain each "
     "decision with its runner-up", "N"},
    {"grid", 0, Profile, "", text, "", "number of tile blocks of the launches", "X,Y,Z"},
    {"arg", 0, Profile, "", repeated, "",
     "the next parameter of the launches: a number or a constant; for an array FILE.npy, or a dtype and a shape as in "
     "float32:4096x1024, filled with the same random numbers each time", "ARG"},
    {"launches", 0, Profile, "", count, "40", "number of launches of a kernel, of which every second is recorded", "N"},
    {"page", 0, Profile, "", file, "", "a page in HTML with the records", "FILE"},
    {"roofline", 0, Profile, "", file, "", "a picture in SVG of operations per second over operations for each byte", "FILE"},
    {"events", 0, Profile, "", file, "", "the records for Perfetto or a browser's view of traces", "FILE"},
    {"out", 0, Run, "", repeated, "",
     "files of arrays after the launch: N=FILE.npy for that of the Nth --arg, from 0, or FILE.npz for all", "OUT"},
    {"device", 0, Session, "", gpuNumber, "0", "the driver's number of the GPU"},
    {"threads", 0, Explain | Trace | Profile, "TILEWRIGHT_NUM_THREADS", threads, "", "threads that run a grid on a CPU", "N",
     "the cores that the process may use"},
    {"", 0, 0, "TILEWRIGHT_PROFILE", profile, "", "launches from Python are waited for and timed, and when the process ends"
     " a table has their times and the predicted ones; a file that ends in `.json` gets JSON", "", "nothing"},
    {"", 0, 0, "TILEWRIGHT_MARKS", marks, "", "launches from Python appear by their kernels' names in timelines: of NVIDIA's"
     " tools where `libnvToolsExt` is found, of PyTorch's profiler, of JAX's", "", "nothing"},
    {"", 0, 0, "TILEWRIGHT_CUDA_DRIVER", file, "libcuda.so.1", "the driver's library", "", "`libcuda.so.1`"},

    // The interpreter, and the simulator of GPUs.
    {"interpret", 0, Run, "TILEWRIGHT_INTERPRET", flag, "0", "launches run in the reference interpreter"},
    {"check", 0, Run, "TILEWRIGHT_CHECK", flag, "0",
     "launches run in checked mode, which reports undefined behaviour"},
    {"debug", 0, Run, "", flag, "0", "interpret and stop before the first line, as pdb does"},
    {"step-limit", 0, Run | Session, "TILEWRIGHT_STEP_LIMIT", number, "0",
     "operations that the interpreter executes in a launch", "N", "0, no limit"},
    {"level", 0, Run, "", simulated, "",
     "simulate the kernel for the GPU of --target on the host", "LEVEL"},
    {"schedules", 0, Run | Session, "TILEWRIGHT_SCHEDULES", count, "1",
     "of a simulated kernel: number of schedules; all orders of its pipelines' events if these are fewer", "N"},
    {"seed", 0, Run | Session, "", number, "0", "of a simulated kernel: seed of the schedules", "N"},

    // Programs for cuda.tile.
    {"", 0, 0, "TILEWRIGHT_COMPAT_CAPABILITY", version, "10.0", "compute capability of PyTorch's devices under"
     " `tilewright.compat` on the CPU"},
    {"", 0, 0, "CUDA_TILE_CACHE_DIR", cacheFolder, "", "the same, if that is not set", "", "as `TILEWRIGHT_CACHE_DIR`"},
    {"", 0, 0, "CUDA_TILE_CACHE_SIZE", count, "", "the same, if that is not set", "", "as `TILEWRIGHT_CACHE_SIZE`"},
    {"", 0, 0, "CUDA_TILE_COMPILER_TIMEOUT_SEC", positiveSeconds, "", "the same, if that is not set", "",
     "as `TILEWRIGHT_TIME_LIMIT`"},
    {"", 0, 0, "CUDA_TILE_TEMP_DIR", folder, "", "folder for temporary files, and for reproducers if"
     " `TILEWRIGHT_REPRODUCER_DIR` is not set", "", "the system's folder"},
    {"", 0, 0, "CUDA_TILE_LOGS", logs, "", "each compilation writes to stderr: `CUTILEIR` the operations of the front"
     " end, `TILEIR` the module", "", "nothing"},
    {"", 0, 0, "CUDA_TILE_DUMP_TILEIR", folder, "", "each compilation writes the text of its module there", "",
     "nothing"},
    {"", 0, 0, "CUDA_TILE_DUMP_BYTECODE", folder, "", "each compilation writes its bytecode there", "", "nothing"},
    {"", 0, 0, "CUDA_TILE_ENABLE_CRASH_DUMP", flag, "0", "a compiler that fails writes `crash_dump_*.zip` to the"
     " working folder: the module without names of files, and the messages"},
    {"", 0, 0, "CUDA_TILE_TESTING_DISABLE_DIV", flag, "0",
     "the code relies on no divisibility of addresses, extents and strides"},
    {"", 0, 0, "CUDA_TILE_TESTING_DISABLE_TOKEN_ORDER", flag, "0",
     "accesses of one block to one array are not ordered, to measure the cost; results may be wrong"},
    {"", 0, 0, "EXPERIMENTAL_CUDA_TILE_DEBUG_BUILD", flag, "0",
     "no optimization; code for GPUs has debug information"},

    // Switches of NVIDIA's compiler.
    {"", 0, 0, "TILEIR_ALWAYS_SWIZZLE", anySwitch, "0",
     "shared memory is swizzled also if its plain layout has no bank conflicts"},
    {"", 0, 0, "TILEIR_PREFER_TMA_FOR_LOAD_STORE", anySwitch, "0",
     "TMA copies tiles also if the cost model prefers copies by threads"},
    {"", 0, 0, "TILEIR_DELAY_TMA_STORE_WAIT", anySwitch, "0",
     "a block waits for its TMA stores only at its end, not after each"},
};
// clang-format on

constexpr VisibilityName names[] = {
    {Compile, "compile"}, {Explain, "explain"},  {Run, "run"},         {Dis, "dis"},   {As, "as"},
    {Info, "info"},       {CacheGc, "cache gc"}, {Session, "session"}, {Plan, "plan"}, {Doctor, "doctor"},
    {Check, "check"},     {Trace, "trace"},      {Profile, "profile"}};

} // namespace

llvm::ArrayRef<Option> allOptions() {
  return table;
}

llvm::ArrayRef<VisibilityName> visibilityNames() {
  return names;
}

} // namespace tilewright
