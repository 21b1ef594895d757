// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/DriverError.h"

#include "runtime/cuda/Driver.h"

using namespace llvm;

namespace tilewright::cuda {
namespace {

struct Fault {
  Status status;
  StringLiteral what;
};

// The errors after which a context is of no use any more.
constexpr Fault faults[] = {
    {Status::IllegalAddress, "accessed memory that is not there"},
    {Status::MisalignedAddress, "accessed memory at an address that is no multiple of the access's size"},
    {Status::InvalidAddressSpace, "accessed memory by an instruction for another address space"},
    {Status::LaunchTimeout, "ran for longer than this GPU allows, which shows a screen"},
    {Status::HardwareStackError, "left its stack"},
    {Status::IllegalInstruction, "met an instruction that is none, or a trap"},
    {Status::InvalidProgramCounter, "left its code"},
    {Status::LaunchFailed, "ended with an error, of a trap as a rule"},
    {Status::TensorMemoryLeak, "ended without giving back its tensor memory"},
};

} // namespace

char DriverError::ID = 0;

Error makeError(DriverError::Kind kind, const Twine &message) {
  return make_error<DriverError>(kind, message.str());
}

std::string nameOf(const Driver &driver, Status status) {
  const char *text = nullptr;
  if (driver.errorName && driver.errorName(status, &text) == Status::Success && text)
    return text;
  return "CUDA error " + std::to_string(static_cast<int>(status));
}

bool isFault(Status status) {
  return any_of(faults, [&](const Fault &fault) { return fault.status == status; });
}

StringRef describeFault(Status status) {
  for (const Fault &fault : faults)
    if (fault.status == status)
      return fault.what;
  return "failed";
}

Error failed(const Driver &driver, Status status, const Twine &what) {
  std::string name = nameOf(driver, status);
  if (status == Status::OutOfMemory)
    return makeError(DriverError::Kind::OutOfMemory, what + ": the GPU has no memory left (" + name +
                                                         "); free arrays, or the framework's "
                                                         "cached memory");
  if (isFault(status))
    return makeError(DriverError::Kind::Fault, what + ": a kernel before it " + describeFault(status) + " (" + name +
                                                   "); this process cannot use the GPU any more; the CPU still works");
  return makeError(DriverError::Kind::Refused, what + ": " + name);
}

} // namespace tilewright::cuda
