// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Driver.h"
#include "runtime/cuda/DriverError.h"
#include "runtime/cuda/FakeDriverTest.h"

using namespace tilewright::cuda;
using llvm::toString;

TEST(Driver, everyFunctionIsLoaded) {
  auto driver = Driver::load(fakeDriverPath());
  ASSERT_TRUE(bool(driver)) << toString(driver.takeError());
  EXPECT_TRUE(driver->hasLibraries());
  EXPECT_TRUE(driver->tensorMapEncode);
}

TEST(Driver, whatIsMissingIsSaid) {
  auto absent = Driver::load("libno-such-driver.so.1");
  ASSERT_FALSE(bool(absent));
  EXPECT_EQ(toString(absent.takeError()),
            "there is no NVIDIA driver: libno-such-driver.so.1: cannot open shared object file: No such file or "
            "directory; kernels run on the CPU with arrays in host memory and TILEWRIGHT_TARGET=cpu");
  auto other = Driver::load("libm.so.6");
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(toString(other.takeError()),
            "the NVIDIA driver libm.so.6 is too old: it has no cuInit, expected a driver of CUDA 11.8 (520) or newer; "
            "kernels run on the CPU with arrays in host memory and TILEWRIGHT_TARGET=cpu");
}

TEST(Driver, errorsSayWhatToDo) {
  auto driver = Driver::load(fakeDriverPath());
  ASSERT_TRUE(bool(driver)) << toString(driver.takeError());
  EXPECT_EQ(toString(failed(*driver, Status::OutOfMemory, "copying 'a' to GPU 0")),
            "copying 'a' to GPU 0: the GPU has no memory left (CUDA_ERROR_OUT_OF_MEMORY); free arrays, or the "
            "framework's cached memory");
  EXPECT_EQ(toString(failed(*driver, Status::IllegalAddress, "launching 'k'")),
            "launching 'k': a kernel before it accessed memory that is not there (CUDA_ERROR_ILLEGAL_ADDRESS); this "
            "process cannot use the GPU any more; the CPU still works");
  EXPECT_EQ(toString(failed(*driver, static_cast<Status>(12345), "launching 'k'")), "launching 'k': CUDA error 12345");
}
