// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PREDICT_NAMEDNUMBER_H
#define TILEWRIGHT_PREDICT_NAMEDNUMBER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilewright::predict {

/// A number of a record by its name, for those who set and print them: {"overlap", &Constants::overlap}.
template <typename Record> struct NamedNumber {
  llvm::StringLiteral name;
  double Record::*member;
};

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_NAMEDNUMBER_H
