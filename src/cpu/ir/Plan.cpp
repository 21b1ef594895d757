// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/ir/Plan.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;
using namespace tilewright::cpu;

static bool isPowerOf2From(int64_t least, int64_t value, int64_t most) {
  return value >= least && value <= most && isPowerOf2_64(value);
}

static constexpr StringLiteral unitNames[] = {"vector", "amx", "amx_model"};
static constexpr StringLiteral isaNames[] = {"x86", "aarch64"}; // by the values of Isa

static bool hasProduct(const WordProduct &product, const Machine *machine) {
  return product && (!machine || machine->hasFeature(product.feature));
}

// The one list of a plan's decisions. Vectors and columns are halved repeatedly, so they must be powers of two.
static constexpr Decision known[] = {
    {"byte_words", "1, 2 on x86, or 4 on aarch64 with dotprod",
     [](const Plan &plan, const Machine *machine) {
       const VectorUnit &unit = plan.unit();
       return plan.byteWords == 1 || (plan.byteWords == 2 && hasProduct(unit.shortPairs, machine)) ||
              (plan.byteWords == 4 && hasProduct(unit.byteQuads, machine));
     },
     &Plan::byteWords},
    {"depth", "1 to 65536", [](const Plan &plan, const Machine *) { return plan.depth >= 1 && plan.depth <= 65536; },
     &Plan::depth},
    {"isa", "that of the target",
     [](const Plan &plan, const Machine *machine) { return !machine || Isa(plan.isa) == machine->isa; }, &Plan::isa,
     nullptr, isaNames},
    {"joined_blocks", "1 to 64",
     [](const Plan &plan, const Machine *) { return plan.joinedBlocks >= 1 && plan.joinedBlocks <= 64; },
     &Plan::joinedBlocks},
    {"kept_bytes", "0 (none) or more", [](const Plan &plan, const Machine *) { return plan.keptBytes >= 0; },
     &Plan::keptBytes},
    {"loop_vectors", "1, 2, 4, 8 or 16",
     [](const Plan &plan, const Machine *) { return isPowerOf2From(1, plan.loopVectors, 16); }, &Plan::loopVectors},
    {"micro_tile_m", "1 to 32 rows",
     [](const Plan &plan, const Machine *) { return plan.microTileM >= 1 && plan.microTileM <= 32; },
     &Plan::microTileM},
    {"micro_tile_n", "a power of two from vector_bits / 32 to 512",
     [](const Plan &plan, const Machine *) { return isPowerOf2From(plan.lanes(32), plan.microTileN, 512); },
     &Plan::microTileN},
    {"mma_unit", "vector or amx_model, except for a target with amx-bf16 and amx-int8",
     [](const Plan &plan, const Machine *machine) {
       return plan.mmaUnit != int64_t(MmaUnit::Amx) ||
              (Isa(plan.isa) == Isa::X86 && plan.vectorBits == 512 && (!machine || machine->hasAmx));
     },
     &Plan::mmaUnit, nullptr, unitNames},
    {"pair_dot", "false, except for 512-bit vectors on a target with avx512bf16, or on aarch64 with bf16",
     [](const Plan &plan, const Machine *machine) {
       return !plan.pairDot || hasProduct(plan.unit().bfloatPairs, machine);
     },
     nullptr, &Plan::pairDot},
    {"prefetch_tiles", "0 to 64",
     [](const Plan &plan, const Machine *) { return plan.prefetchTiles >= 0 && plan.prefetchTiles <= 64; },
     &Plan::prefetchTiles},
    {"stream_bytes", "0 (never) or more", [](const Plan &plan, const Machine *) { return plan.streamBytes >= 0; },
     &Plan::streamBytes},
    {"vector_bits", "128, 256 or 512, and no more than the target has",
     [](const Plan &plan, const Machine *machine) {
       return isPowerOf2From(128, plan.vectorBits, machine ? machine->vectorBits : 512) &&
              findVectorUnit(Isa(plan.isa), plan.vectorBits);
     },
     &Plan::vectorBits},
};

ArrayRef<Decision> Decision::all() {
  return known;
}

Expected<const Decision *> Decision::named(StringRef name) {
  for (const Decision &decision : known)
    if (decision.name == name)
      return &decision;
  return createStringError("a plan has no '" + name + "', expected one of " +
                           join(map_range(known, [](const Decision &each) -> StringRef { return each.name; }), ", "));
}

std::string Decision::textIn(const Plan &plan) const {
  if (flag)
    return plan.*flag ? "true" : "false";
  if (!names.empty())
    return names[valueIn(plan)].str();
  return std::to_string(valueIn(plan));
}

std::string Decision::tomlIn(const Plan &plan) const {
  std::string text = textIn(plan);
  return names.empty() ? text : '"' + text + '"';
}

Error Decision::setIn(Plan &plan, StringRef text) const {
  if (!names.empty()) {
    const StringLiteral *name = llvm::find(names, text);
    if (name == names.end())
      return createStringError(this->name + " is '" + text + "', expected " + join(names, ", "));
    plan.*number = name - names.begin();
    return Error::success();
  }
  if (flag && (text == "true" || text == "false"))
    plan.*flag = text == "true";
  else if (flag || text.getAsInteger(10, plan.*number))
    return createStringError(name + " is '" + text + "', expected " + (flag ? "true or false" : "a number"));
  return Error::success();
}

Error Plan::check(const Machine *machine) const {
  for (const Decision &decision : known)
    if (!decision.isLegal(*this, machine))
      return createStringError(decision.name + " is " + decision.textIn(*this) + ", expected " + decision.expected);
  return Error::success();
}

const VectorUnit &Plan::unit() const {
  // A plan of another width is refused; until then it counts as the narrowest.
  const VectorUnit *found = findVectorUnit(Isa(isa), vectorBits);
  return found ? *found : *findVectorUnit(Isa(isa), 128);
}

bool Plan::operator==(const Plan &other) const {
  return all_of(known, [&](const Decision &each) { return each.valueIn(*this) == each.valueIn(other); });
}
hash_code cpu::hash_value(const Plan &plan) {
  hash_code code = 0;
  for (const Decision &decision : known)
    code = hash_combine(code, decision.valueIn(plan));
  return code;
}
