// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors between a launch and the GPU, as messages for the user.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DRIVERERROR_H
#define TILEWRIGHT_RUNTIME_CUDA_DRIVERERROR_H

#include "runtime/cuda/DriverTypes.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright::cuda {

struct Driver;

class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  enum class Kind {
    Missing,     // no driver, no GPU, or one that is too old
    OutOfMemory, // of the GPU
    Refused,     // the launch or the code does not fit the GPU
    Fault,       // a kernel made an illegal access; this process cannot use the GPU any more
  };
  static char ID;

  DriverError(Kind kind, std::string text) : kind(kind), text(std::move(text)) {}

  Kind getKind() const { return kind; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  Kind kind;
  std::string text;
};

llvm::Error makeError(DriverError::Kind kind, const llvm::Twine &message);

// As in CUDA_ERROR_NO_DEVICE; the number for one that the driver does not know.
std::string nameOf(const Driver &driver, Status status);

// True if a kernel of this process made an illegal access, so that every later call of the driver fails.
bool isFault(Status status);
// The fault of such a kernel, as in "accessed memory that is not there".
llvm::StringRef describeFault(Status status);

// `what` could not be done, as in "loading kernel 'k' on GPU 0".
llvm::Error failed(const Driver &driver, Status status, const llvm::Twine &what);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DRIVERERROR_H
