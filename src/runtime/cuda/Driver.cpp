// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Driver.h"

#include "options/Environment.h"
#include "runtime/cuda/DriverError.h"
#include <cstdlib>
#include <dlfcn.h>
#include <optional>

using namespace llvm;

namespace tilewright::cuda {
namespace {

using Kind = DriverError::Kind;

constexpr StringLiteral instead = "; kernels run on the CPU with arrays in host memory and TILEWRIGHT_TARGET=cpu";

Expected<Driver> loadAndInitialize() {
  auto driver = Driver::load(environmentText("TILEWRIGHT_CUDA_DRIVER"));
  if (!driver)
    return driver;
  Status status = driver->init(0);
  if (status == Status::NoDevice) {
    const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return makeError(Kind::Missing,
                     "the NVIDIA driver finds no GPU" +
                         (visible ? Twine(" among those of CUDA_VISIBLE_DEVICES='") + visible + "'" : Twine()) +
                         instead);
  }
  if (status != Status::Success)
    return makeError(Kind::Missing, "the NVIDIA driver does not start: " + nameOf(*driver, status) +
                                        (status == Status::SystemDriverMismatch
                                             ? "; its library and its kernel module are of different versions"
                                             : "") +
                                        instead);
  if (driver->driverVersion(&driver->version) != Status::Success)
    driver->version = 0;
  return driver;
}

} // namespace

Expected<Driver> Driver::load(const std::string &path) {
  // Stays open: its threads run until the process ends.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return makeError(Kind::Missing, "there is no NVIDIA driver: " + Twine(dlerror()) + instead);
  Driver driver;
  const char *missing = nullptr;
#define LOAD(member, symbol, parameters)                                                                               \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, symbol));
#define LOAD_REQUIRED(member, symbol, parameters)                                                                      \
  LOAD(member, symbol, parameters)                                                                                     \
  if (!driver.member && !missing)                                                                                      \
    missing = symbol;
  TILEWRIGHT_CUDA_REQUIRED(LOAD_REQUIRED)
  TILEWRIGHT_CUDA_OPTIONAL(LOAD)
#undef LOAD_REQUIRED
#undef LOAD
  if (missing)
    return makeError(Kind::Missing, "the NVIDIA driver " + Twine(path) + " is too old: it has no " + missing +
                                        ", expected a driver of CUDA 11.8 (520) or newer" + instead);
  return driver;
}

Expected<const Driver &> Driver::get() {
  struct Once {
    std::optional<Driver> driver;
    std::string problem;
  };
  static const Once &once = *new Once([] {
    Once result;
    if (auto driver = loadAndInitialize())
      result.driver = std::move(*driver);
    else
      result.problem = toString(driver.takeError());
    return result;
  }());
  if (!once.driver)
    return makeError(Kind::Missing, once.problem);
  return *once.driver;
}

} // namespace tilewright::cuda
