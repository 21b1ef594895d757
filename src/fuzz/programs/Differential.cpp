// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Differential.h"

#include "fuzz/programs/Random.h"
#include "fuzz/programs/plans/PlanEdits.h"
#include "fuzz/programs/ways/OnEmulator.h"
#include "fuzz/programs/ways/OnGpu.h"
#include "gpu_simulator/SimulatedProgram.h"
#include "interpreter/Interpreter.h"
#include "interpreter/check/Checker.h"
#include "pipeline/Pipeline.h"
#include "pipeline/TileIrFile.h"
#include "runtime/Executable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::programs {
namespace {

// The arguments of one run. A buffer lies between two fences, as little aligned as its elements allow.
class Arguments {
public:
  explicit Arguments(const Launch &launch) : launch(launch) {
    for (const Parameter &parameter : launch.parameters) {
      Slot &slot = slots.emplace_back();
      slot.value = parameter.seed;
      if (!parameter.isBuffer)
        continue;
      unsigned size = storageBytes(parameter.element);
      slot.offset = fence + parameter.seed % 8 * size;
      slot.bytes = static_cast<size_t>(parameter.count) * size;
      slot.storage.reset(new (std::align_val_t(64)) char[slot.offset + slot.bytes + fence]);
      memset(slot.storage.get(), fenceByte, slot.offset + slot.bytes + fence);
      for (int64_t i = 0; i < parameter.count; ++i) {
        uint64_t bits = makeBits(parameter.element, parameter.contents, mix(parameter.seed) + i);
        memcpy(slot.data() + i * size, &bits, size); // the bytes of a number, low ones first
      }
      slot.value = reinterpret_cast<uint64_t>(slot.data());
    }
    for (Slot &slot : slots)
      pointers.push_back(&slot.value);
  }

  MutableArrayRef<void *> args() { return pointers; }

  // All arrays that a launch on another device copies, with their guard bytes.
  std::vector<HostArray> arrays() {
    std::vector<HostArray> all;
    for (Slot &slot : slots)
      if (slot.storage)
        all.push_back({&slot.value, reinterpret_cast<uint64_t>(slot.storage.get()), slot.offset + slot.bytes + fence});
    return all;
  }

  // The buffers as checked mode wants to know them.
  std::vector<interpreter::CheckedArray> describe() const {
    std::vector<interpreter::CheckedArray> arrays;
    for (auto [index, slot] : llvm::enumerate(slots)) {
      const Parameter &parameter = launch.parameters[index];
      if (!parameter.isBuffer)
        continue;
      interpreter::CheckedArray &array = arrays.emplace_back();
      array.name = "argument " + std::to_string(index);
      array.address = slot.value;
      array.elementBytes = storageBytes(parameter.element);
      array.shape = {parameter.count};
      array.byteStrides = {array.elementBytes};
    }
    return arrays;
  }

  uint64_t read(size_t parameter, int64_t index) const {
    unsigned size = storageBytes(launch.parameters[parameter].element);
    uint64_t bits = 0;
    memcpy(&bits, slots[parameter].data() + index * size, size);
    return bits;
  }

  // A parameter before or after whose buffer something was written.
  std::optional<size_t> findTrampled() const {
    auto isIntact = [](char byte) { return byte == fenceByte; };
    for (auto [index, slot] : llvm::enumerate(slots)) {
      if (!slot.storage)
        continue;
      const char *begin = slot.storage.get(), *end = begin + slot.offset + slot.bytes + fence;
      if (!std::all_of(begin, begin + slot.offset, isIntact) ||
          !std::all_of(begin + slot.offset + slot.bytes, end, isIntact))
        return index;
    }
    return std::nullopt;
  }

private:
  static constexpr size_t fence = 256;
  static constexpr char fenceByte = 0x5a;
  struct Aligned {
    void operator()(char *storage) const { operator delete[](storage, std::align_val_t(64)); }
  };
  struct Slot {
    std::unique_ptr<char[], Aligned> storage;
    size_t offset = 0, bytes = 0;
    uint64_t value = 0;
    char *data() const { return storage.get() + offset; }
  };
  const Launch &launch;
  std::deque<Slot> slots;
  std::vector<void *> pointers;
};

struct Outcome {
  LaunchResult result;
  std::unique_ptr<Arguments> arguments;
};

// Of a launch on the host: more count as an endless loop.
constexpr int64_t mostSteps = 10000000;

// `undefined` gets what checked mode has to say.
Expected<LaunchResult> interpret(const Source &source, const Way &way, Arguments &arguments, std::string &undefined) {
  LaunchResult result;
  std::string failure;
  auto read = processTileIr({source.module, "program"}, [&](cuda_tile::ModuleOp module, raw_ostream &) {
    interpreter::Interpreter interpreter(module);
    interpreter::Options options;
    options.stepLimit = mostSteps;
    std::optional<interpreter::Checker> checker;
    if (way.kind == Way::Kind::Checked)
      options.monitor = &checker.emplace(arguments.describe());
    const int64_t *grid = source.launch.grid;
    auto launched = interpreter.launch("", {grid[0], grid[1], grid[2]}, arguments.args(), options);
    if (launched)
      result = std::move(*launched);
    else
      failure = toString(launched.takeError());
    if (checker)
      undefined = checker->report();
    return mlir::success();
  });
  if (!read)
    return read.takeError();
  if (!failure.empty())
    return createStringError(failure);
  return result;
}

Expected<std::string> textOf(StringRef module) {
  return cuda_tile::isBytecode(module) ? disassemble({module, "program"}, {}) : Expected<std::string>(module.str());
}

// The module with one operation taken for another.
Expected<std::string> plantFault(StringRef module, const Way &way) {
  auto text = textOf(module);
  if (!text)
    return text;
  std::string from = " = " + way.mistaken + " ", to = " = " + way.mistakenFor + " ";
  for (size_t at = 0; (at = text->find(from, at)) != std::string::npos; at += to.size())
    text->replace(at, from.size(), to);
  return text;
}

// By the simulator of GPUs.
Expected<LaunchResult> simulate(StringRef module, const Way &way, const Launch &launch, Arguments &arguments) {
  auto plan = way.isEdited ? drawPlan(module, *way.architecture, launch.seed) : Expected<std::string>("");
  if (!plan)
    return plan.takeError();
  auto program = simulator::SimulatedProgram::compile(module, "program", *way.architecture, *plan);
  if (!program)
    return program.takeError();
  simulator::LaunchOptions options;
  options.schedules = way.schedules;
  options.seed = launch.seed;
  options.stepLimit = mostSteps;
  simulator::LaunchReport report;
  return (*program)->launch((*program)->allEntries().front().name, {launch.grid[0], launch.grid[1], launch.grid[2]},
                            arguments.args(), options, report);
}

Expected<LaunchResult> execute(const Source &source, const Way &way, Arguments &arguments) {
  PipelineOptions options;
  // Of a clock on the wall, which runs on a busy machine too: a campaign counts seconds of a processor (Child.h).
  options.limits.time = std::chrono::minutes(20);
  options.codeGen.optLevel = way.optLevel;
  options.nvidia.abi = way.portable ? nvidia::LaunchAbi::Portable : nvidia::LaunchAbi::Tilewright;
  PipelineReport report;
  std::string module = source.module;
  if (!way.mistaken.empty()) {
    auto faulty = plantFault(module, way);
    if (!faulty)
      return faulty.takeError();
    module = std::move(*faulty);
  }
  if (way.kind == Way::Kind::Simulated)
    return simulate(module, way, source.launch, arguments);
  if (way.kind == Way::Kind::Gpu)
    return runOnGpu(module, source.launch.grid, arguments.args(), arguments.arrays(), options);
  if (way.kind == Way::Kind::Emulated)
    return runEmulated(module, way.machine, source.launch.grid, arguments.args(), arguments.arrays(), options);
  if (way.kind == Way::Kind::CompileOnly) {
    auto code = compileTo(way.level, module, "program", way.target, options, report);
    return code ? Expected<LaunchResult>(LaunchResult()) : code.takeError();
  }
  auto image = compileToImage(module, "program", way.machine, options, report);
  if (!image)
    return image.takeError();
  auto executable = Executable::load(std::move(*image));
  if (!executable)
    return executable.takeError();
  const Executable::Entry *entry = (*executable)->find("");
  if (!entry)
    return createStringError("expected a module with one entry");
  const int64_t *grid = source.launch.grid;
  // Results do not depend on the number of threads; the interpreter has one.
  static Scheduler one(1), two(2);
  Scheduler &scheduler = source.launch.seed % 4 == 0 ? two : one;
  if (&scheduler == &two)
    entry->nanosecondsPerBlock = 1e6; // not too short for a second thread
  return scheduler.launch(*entry, arguments.args().data(), {grid[0], grid[1], grid[2]});
}

std::string describe(const LaunchResult &result) {
  if (!result.failure)
    return "ends";
  const int64_t *block = result.failure->block;
  return formatv("fails the assertion '{0}' in block {1}, {2}, {3} at [{4:$[, ]}]", result.failure->message, block[0],
                 block[1], block[2], make_range(result.failure->position.begin(), result.failure->position.end()))
      .str();
}

std::string describe(Element element, uint64_t bits) {
  return formatv("{0} (0x{1})", toDouble(element, bits), utohexstr(bits, /*LowerCase=*/true)).str();
}

// Where an instruction of a GPU is rougher than docs/semantics.md has it for CPUs.
struct Roughness {
  uint64_t atLeast = 0; // how far results of functions may be apart
  // Zeros for subnormals: in atomic sums of f32, before and after each addition, and as results of rough exponentials.
  bool flushesSubnormals = false;

  explicit Roughness(const std::string &text) {
    if (StringRef(text).contains("rounding<approx>"))
      atLeast = 1 << 14; // tanh.approx: 2^-10.9 of the result
    flushesSubnormals = StringRef(text).contains(", addf, ") || (atLeast && StringRef(text).contains(" = exp "));
  }
  Roughness() = default;
};

// Whether two numbers differ by what 64 subnormal ones come to at most.
bool differBySubnormals(Element element, uint64_t a, uint64_t b) {
  return element == Element::F32 && std::fabs(toDouble(element, a) - toDouble(element, b)) <= 0x1p-120;
}

// The first difference of an outcome from the reference; empty if there is none.
std::string findDifference(const Launch &launch, const Outcome &wanted, const Outcome &got, Roughness roughness = {}) {
  if (describe(wanted.result) != describe(got.result))
    return describe(wanted.result) + " but " + describe(got.result);
  if (wanted.result.printed != got.result.printed)
    return "prints\n" + wanted.result.printed + "but\n" + got.result.printed;
  for (auto [index, parameter] : llvm::enumerate(launch.parameters)) {
    if (!parameter.isBuffer)
      continue;
    int64_t differing = 0;
    std::string first;
    for (int64_t i = 0; i < parameter.count; ++i) {
      uint64_t a = wanted.arguments->read(index, i), b = got.arguments->read(index, i);
      uint64_t tolerance = parameter.tolerance ? std::max<uint64_t>(parameter.tolerance, roughness.atLeast) : 0;
      if (a == b || distance(parameter.element, a, b) <= tolerance ||
          (roughness.flushesSubnormals && differBySubnormals(parameter.element, a, b)))
        continue;
      if (!differing++)
        first = formatv("argument {0}, element {1} of {2} {3}: {4} but {5}", index, i, parameter.count,
                        elementName(parameter.element), describe(parameter.element, a), describe(parameter.element, b));
    }
    if (differing)
      return differing == 1 ? first : first + formatv("; {0} more differ", differing - 1).str();
  }
  return "";
}

// Whether this says that there is no code for something yet, and nothing worse.
bool isRefusal(StringRef message) {
  return message.contains(" is not lowered to ") || message.contains("the interpreter does not know") ||
         message.contains(" bytes of shared memory in a block, and ") || message.contains(" is impossible");
}

} // namespace

Report compare(const Source &source, ArrayRef<Way> ways) {
  std::optional<Outcome> reference;
  std::string refusals;
  StringRef referenceName;
  for (const Way &way : ways) {
    Outcome outcome;
    outcome.arguments = std::make_unique<Arguments>(source.launch);
    std::string undefined;
    bool interprets = way.kind == Way::Kind::Interpreter || way.kind == Way::Kind::Checked;
    auto result =
        interprets ? interpret(source, way, *outcome.arguments, undefined) : execute(source, way, *outcome.arguments);
    if (!undefined.empty())
      return {Verdict::Invalid, way.name + ": " + undefined};
    if (!result) {
      std::string message = way.name + ": " + toString(result.takeError()) + "\n";
      if (!isRefusal(message))
        return {Verdict::Mismatch, message};
      refusals += message;
      continue;
    }
    if (way.kind == Way::Kind::CompileOnly)
      continue;
    outcome.result = std::move(*result);
    if (auto index = outcome.arguments->findTrampled())
      return {Verdict::Mismatch, formatv("{0} writes outside of argument {1}\n", way.name, *index)};
    if (!reference) {
      reference = std::move(outcome);
      referenceName = way.name;
      continue;
    }
    std::string difference = findDifference(source.launch, *reference, outcome);
    if (!difference.empty() && (way.kind == Way::Kind::Gpu || way.kind == Way::Kind::Simulated))
      difference = findDifference(source.launch, *reference, outcome, Roughness(cantFail(textOf(source.module))));
    if (!difference.empty())
      return {Verdict::Mismatch, formatv("{0} and {1}: {2}\n", referenceName, way.name, difference)};
  }
  if (!refusals.empty())
    return {Verdict::Refused, refusals};
  return {};
}

} // namespace tilewright::programs
