// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/AmxPermission.h"

#include <cerrno>
#include <cstring>
#include <sys/syscall.h>
#include <unistd.h>

int tilewright::askForAmx() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0 ? 0 : errno;
#else
  return ENOSYS;
#endif
}

std::string tilewright::whyAmxIsDenied(int error) {
  if (error == 0)
    return "";
  // The kernel refuses where a signal's frame with the tiles would not fit.
  if (error == ENOSPC)
    return "the system denies AMX: an alternate signal stack of this process is too small";
  return std::string("the system denies AMX: ") + strerror(error);
}
