// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Payload.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace tilewright::cuda_tile;

namespace {

#define GET_PayloadFields_IMPL
#include "cuda_tile/bytecode/CudaTilePayload.inc"

/// The properties of an operation as a whole in Payload.td.
struct PayloadForm {
  uint16_t opcode;
  bool isInBody, hasCountedResults, hasCountedOperands, hasSegments;
  uint16_t numResults, numRegions;
  llvm::StringLiteral resultsSince;
};

#define GET_PayloadForms_IMPL
#define GET_LaterCases_IMPL
#include "cuda_tile/bytecode/CudaTilePayload.inc"

} // namespace

struct tilewright::cuda_tile::PayloadTable {
  std::vector<Payload> payloads;
  llvm::DenseMap<uint64_t, const Payload *> byOpcode;
  llvm::StringMap<const Payload *> byMnemonic;

  PayloadTable() {
    payloads.reserve(std::size(PayloadForms));
    llvm::ArrayRef<PayloadField> fields(PayloadFields);
    assert(llvm::is_sorted(fields, [](const PayloadField &a, const PayloadField &b) {
      return std::pair(a.opcode, a.position) < std::pair(b.opcode, b.position);
    }));
    for (const PayloadForm &form : PayloadForms) {
      // Fields are sorted by opcode and position.
      const PayloadField *begin =
          llvm::partition_point(fields, [&](const PayloadField &field) { return field.opcode < form.opcode; });
      const PayloadField *end =
          llvm::partition_point(fields, [&](const PayloadField &field) { return field.opcode <= form.opcode; });
      Payload &payload = payloads.emplace_back();
      payload.record = lookupOpByOpcode(form.opcode);
      payload.fields = llvm::ArrayRef(begin, end);
      payload.inBody = form.isInBody;
      payload.hasCountedResults = form.hasCountedResults;
      payload.hasCountedOperands = form.hasCountedOperands;
      payload.hasSegments = form.hasSegments;
      payload.numResults = form.numResults;
      payload.numRegions = form.numRegions;
      payload.resultsSince = form.resultsSince;
      byOpcode[form.opcode] = &payload;
      byMnemonic[payload.record->mnemonic] = &payload;
    }
  }

  static const PayloadTable &get() {
    static const PayloadTable table;
    return table;
  }
};

llvm::ArrayRef<Payload> Payload::getAll() {
  return PayloadTable::get().payloads;
}
llvm::ArrayRef<LaterCase> tilewright::cuda_tile::getLaterCases() {
  return LaterCases;
}
const LaterCase *tilewright::cuda_tile::lookupLaterCase(llvm::StringRef attribute, uint32_t value) {
  const auto *found =
      llvm::find_if(LaterCases, [&](const LaterCase &row) { return row.attribute == attribute && row.value == value; });
  return found == std::end(LaterCases) ? nullptr : found;
}

const Payload *Payload::lookup(uint64_t opcode) {
  return PayloadTable::get().byOpcode.lookup(opcode);
}
const Payload *Payload::lookup(llvm::StringRef mnemonic) {
  return PayloadTable::get().byMnemonic.lookup(mnemonic);
}
