// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/KernelContext.h"
#include "lower/tileas_to_nvvm/memory/HostRecords.h"
#include "machine/Occupancy.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "pipeline/Compilation.h"
#include "pipeline/NvidiaPlan.h"
#include "pipeline/entry/GpuEntries.h"
#include "pipeline/explain/DecisionRemarks.h"
#include "pipeline/passes/NvidiaPipeline.h"
#include "target/nvidia/Libdevice.h"
#include "target/nvidia/RegisterCeiling.h"
#include "tileaa/ir/Hints.h"
#include "tileas/ir/Tileas.h"
#include "tileas/work/DescribeWork.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {
namespace {

// The first operation, except the module, of neither of the last dialects.
Operation *findHigher(ModuleOp module) {
  Operation *found = nullptr;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module || isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

// LLVM renames private symbols, but a kernel is launched by its name.
llvm::Error checkNames(ModuleOp module) {
  auto isOfPtx = [](StringRef name) {
    return !llvm::isDigit(name.front()) &&
           llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
  };
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()) && !isOfPtx(function.getName()))
      return llvm::createStringError("the entry '" + function.getName() +
                                     "' cannot have that name on a GPU, expected letters, digits, '_' and '$', and no "
                                     "digit in front");
  return llvm::Error::success();
}

int64_t staticSharedBytes(ModuleOp module) {
  auto memory = module.lookupSymbol<LLVM::GlobalOp>(sharedMemoryName);
  return memory ? llvm::cast<LLVM::LLVMArrayType>(memory.getGlobalType()).getNumElements() : 0;
}

std::string countOf(int64_t blocks) {
  return std::to_string(blocks) + (blocks == 1 ? " block" : " blocks");
}

// Answers the hint `occupancy` of the kernels that still have it: by the number of blocks of the code that fit, or by a
// remark that only an assembler determines it.
void answerOccupancy(ModuleOp module, const nvidia::CeiledCubin *code, const nvidia::Architecture &architecture) {
  module.walk([&](LLVM::LLVMFuncOp kernel) {
    std::optional<int64_t> asked = tileaa::numberHinted(kernel, tileaa::hint::occupancy);
    if (!asked)
      return;
    auto answer = [&](bool isFollowed, const Twine &why) {
      (isFollowed ? tileaa::followHint : tileaa::declineHint)(kernel, tileaa::hint::occupancy, why);
    };
    auto told = kernel->getAttrOfType<IntegerAttr>(NVVM::NVVMDialect::getMinctasmAttrName());
    auto threads = kernel->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName());
    auto used = code ? llvm::find_if(code->cubin.kernels, [&](auto &it) { return it.name == kernel.getName(); })
                     : std::vector<nvidia::KernelResources>::const_iterator();
    if (!code || !threads || (used == code->cubin.kernels.end() && !code->lifted.contains(kernel.getName()))) {
      int64_t blocks = told ? told.getInt() : 1;
      return answer(blocks >= *asked, "the assembler limits registers for " + countOf(blocks) + " of an SM");
    }
    if (used == code->cubin.kernels.end())
      return answer(false, "the driver is the assembler, and would not say whether it spills registers for that");
    nvidia::Occupancy fits = nvidia::computeOccupancy(
        {unsigned(threads[0]), used->registers, used->sharedBytes + tileas::sharedBytesOf(kernel)}, architecture);
    std::string reached =
        (countOf(fits.blocks) + " of an SM at a time, " + Twine(used->registers) + " registers a thread").str();
    uint64_t spilled = used->spillStoreBytes + used->spillLoadBytes;
    auto lifted = code->lifted.find(kernel.getName());
    if (fits.blocks >= *asked)
      answer(true, spilled ? reached + ", " + Twine(spilled) + " bytes spilled" : Twine(reached));
    else if (lifted == code->lifted.end())
      answer(false, reached + "; more would need more " + fits.limit);
    else if (lifted->second)
      answer(false, reached + "; with fewer the assembler spilled " + Twine(*lifted->second) + " bytes, and " +
                        Twine(spilled) + " with these");
    else
      answer(false, reached + "; with fewer the assembler cannot compile it");
  });
}

int64_t registersOfLargestTile(ModuleOp module) {
  int64_t most = 0;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (tileas::hasLayout(type)) {
        auto tile = llvm::cast<RankedTensorType>(type);
        int64_t bits = tile.getElementType().isIntOrFloat() ? tile.getElementTypeBitWidth() : 64;
        int64_t elements = tileas::layoutOf(tile).inputSize(layout::Dim::Register);
        most = std::max<int64_t>(most, llvm::divideCeil(elements * bits, 32));
      }
  });
  return most;
}

class NvidiaTarget : public Target {
public:
  explicit NvidiaTarget(const nvidia::Architecture &architecture) : architecture(architecture) {}

  const nvidia::Architecture *getArchitecture() const override { return &architecture; }
  std::string hintTarget() const override { return "sm_" + std::to_string(architecture.number); }
  std::string name() const override { return ("nvidia:" + architecture.name).str(); }
  llvm::ArrayRef<Level> levels() const override {
    static constexpr Level known[] = {Level::CudaTile, Level::Tilebc, Level::Tileaa, Level::Tileas,
                                      Level::Plan,     Level::Llvm,   Level::Ptx,    Level::Cubin};
    return known;
  }
  Level codeLevel() const override { return Level::Cubin; }
  std::string key(const PipelineOptions &options) const override {
    return name() + ' ' + std::to_string(options.codeGen.optLevel) + ' ' +
           std::to_string(static_cast<int>(options.debugInfo)) + ' ' +
           (options.nvidia.checkAccesses ? "checked " : "") + (options.nvidia.records ? "records " : "") +
           (options.nvidia.abi == nvidia::LaunchAbi::Portable ? "portable " : "") + options.nvidia.switches.text() +
           ' ' + nvidia::identifyLibdevice(options.libdevice) + ' ' +
           nvidia::identifyAssemblers(options.nvidia.assemblers);
  }

  std::vector<Step> steps(const PipelineOptions &options) const override {
    return {{Level::Tileaa, "cuda_tile to tileaa", buildCudaTileToTileaa},
            {Level::Tileas, "tileaa to tileas",
             [this, abi = options.nvidia.abi, switches = options.nvidia.switches](OpPassManager &passes) {
               buildTileaaToTileas(passes, architecture, abi, switches);
             }},
            {Level::Llvm, "tileas to llvm",
             [this, gpu = options.nvidia, libdevice = options.libdevice](OpPassManager &passes) {
               buildTileasToLlvm(passes, architecture, gpu.abi, gpu.switches, libdevice, gpu.records);
             }}};
  }
  Level planLevel() const override { return Level::Tileas; }
  llvm::Error arrive(Level level, Compilation &compilation) const override {
    PipelineReport &report = compilation.getReport();
    const PipelineOptions &options = compilation.getOptions();
    if (level == Level::Tileaa)
      if (llvm::Error error = askNvidiaPlans(compilation.getModule(), options.plan, options.planName))
        return error;
    if (level == Level::Tileas) {
      compilation.getProgress().registersOfTile = registersOfLargestTile(compilation.getModule());
      if (llvm::Error error = applyNvidiaPlans(compilation.getModule(), options.plan, options.planName))
        return error;
    }
    if (options.wantsExplanation && level == Level::Tileaa)
      report.kernels = explainWork(compilation.getModule());
    if (options.wantsExplanation && level == Level::Tileas) {
      explainDecisions(compilation.getModule(), report.kernels);
      for (auto kernel : compilation.getModule().getOps<func::FuncOp>())
        if (tileaa::isKernel(kernel) && tileas::ctaOf(kernel))
          report.work.push_back(tileas::describeWork(kernel));
    }
    if (options.wantsRemarks && level == Level::Tileas)
      remarkDecisions(compilation.getModule());
    return llvm::Error::success();
  }
  std::string printPlans(ModuleOp module) const override { return printNvidiaPlans(module); }

  llvm::Expected<std::string> emitCode(Level level, Compilation &compilation) const override {
    if (llvm::Error error = checkNames(compilation.getModule()))
      return error;
    if (Operation *op = findHigher(compilation.getModule()))
      return compilation.refusal(llvm::createStringError("code of a GPU is made of the llvm and nvvm dialects, found " +
                                                         op->getName().getStringRef()));
    auto text = emitText(level == Level::Cubin ? Level::Ptx : level, compilation);
    if (text && level != Level::Cubin)
      answerOccupancy(compilation.getModule(), nullptr, architecture);
    if (!text || level != Level::Cubin)
      return text;
    TimingScope scope = compilation.begin("assembler");
    const PipelineOptions &options = compilation.getOptions();
    nvidia::CubinOptions cubinOptions{options.nvidia.assemblers, options.debugInfo};
    cubinOptions.optimize = options.codeGen.optLevel != 0;
    cubinOptions.largeShared = staticSharedBytes(compilation.getModule()) > nvidia::Architecture::staticSharedBytes;
    cubinOptions.checkAccesses = options.nvidia.checkAccesses;
    auto code = nvidia::assembleUnderCeilings(*text, architecture, cubinOptions);
    if (options.wantsExplanation)
      compilation.getReport().ptx = *text;
    // Without an assembler, an explanation leaves out the facts that only one knows.
    if (!code && options.wantsExplanation && !code.errorIsA<nvidia::RefusedPtx>()) {
      compilation.getReport().whyNoCubin = llvm::toString(code.takeError());
      answerOccupancy(compilation.getModule(), nullptr, architecture);
      return std::string();
    }
    if (!code)
      return blame(code.takeError(), compilation);
    answerOccupancy(compilation.getModule(), &*code, architecture);
    nvidia::Cubin *cubin = &code->cubin;
    std::string bytes = std::exchange(cubin->bytes, {});
    compilation.remark(cubin->advice);
    for (const nvidia::KernelResources &kernel : cubin->kernels)
      if (kernel.spillStoreBytes + kernel.spillLoadBytes)
        remarkSpill(kernel, compilation);
    compilation.getReport().cubin = std::move(*cubin);
    return bytes;
  }
  void describe(Compilation &compilation, std::vector<EntryInfo> &entries) const override {
    cuda::GpuImage &image = compilation.getReport().image;
    image.architecture = architecture.name;
    image.hostSites = hostSitesOf(compilation.getModule());
    image.entries = describeGpuEntries(compilation.getModule(), entries);
  }
  std::optional<std::string> explainFatalError(StringRef message) const override {
    return nvidia::explainFatalError(message, architecture);
  }

private:
  // LLVM IR or PTX.
  llvm::Expected<std::string> emitText(Level level, Compilation &compilation) const {
    if (auto code = compilation.emitInChild(level); !code || *code)
      return code ? llvm::Expected<std::string>(std::move(**code)) : code.takeError();
    const PipelineOptions &options = compilation.getOptions();
    std::string llvmIr, remarks;
    TimingScope scope;
    nvidia::PtxOptions ptxOptions;
    ptxOptions.optLevel = options.codeGen.optLevel;
    ptxOptions.debugInfo = options.debugInfo;
    ptxOptions.begin = [&](const char *stage) { scope = compilation.begin(stage); };
    ptxOptions.configure = [&](PassManager &passes) { compilation.configure(passes, scope); };
    ptxOptions.printBeforePasses = compilation.getLlvmDumps();
    if (level == Level::Llvm)
      ptxOptions.llvmIr = &llvmIr;
    auto ptx = nvidia::emitPtx(compilation.getModule(), architecture, ptxOptions, remarks);
    compilation.remark(remarks);
    if (!ptx)
      return compilation.refusal(ptx.takeError());
    return level == Level::Llvm ? std::move(llvmIr) : std::move(*ptx);
  }

  static void remarkSpill(const nvidia::KernelResources &kernel, Compilation &compilation) {
    std::string text = llvm::formatv("kernel '{0}' spills registers, {1} bytes of stores and {2} of loads: its "
                                     "tiles need more than the {3} of a thread; smaller tiles need fewer, and so does "
                                     "a larger num_worker_warps_per_cta",
                                     kernel.name, kernel.spillStoreBytes, kernel.spillLoadBytes, kernel.registers);
    compilation.remark("remark: " + text + '\n');
    if (!compilation.getOptions().wantsRemarks)
      return;
    OptimizationRemark &remark = compilation.getReport().optimizations.emplace_back();
    remark.kind = OptimizationRemark::Kind::Missed;
    remark.category = "Memory";
    remark.name = "Spill";
    remark.function = kernel.name;
    remark.arguments.emplace_back("Remark", std::move(text));
  }

  // PTX that an assembler refuses is a failure of its author: this compiler, or the user whose PTX it is. A missing
  // assembler is no failure.
  static llvm::Error blame(llvm::Error error, Compilation &compilation) {
    return llvm::handleErrors(std::move(error), [&](std::unique_ptr<nvidia::RefusedPtx> refused) {
      return compilation.refusal(llvm::createStringError(refused->message()));
    });
  }

  const nvidia::Architecture &architecture; // of the table of all
};

} // namespace

TargetRef nvidiaTarget(const nvidia::Architecture &architecture) {
  return std::make_shared<NvidiaTarget>(architecture);
}

} // namespace tilewright
