// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of the matrix unit are 8 KiB that the kernel saves for each thread that uses them: Linux gives them to
// processes that ask.
#ifndef TILEWRIGHT_MACHINE_AMXPERMISSION_H
#define TILEWRIGHT_MACHINE_AMXPERMISSION_H

#include <string>

namespace tilewright {

/// Asks for this process, its threads and those that it starts; 0 or the `errno` of the refusal.
int askForAmx();

/// That refusal in words; empty for 0.
std::string whyAmxIsDenied(int error);

} // namespace tilewright

#endif // TILEWRIGHT_MACHINE_AMXPERMISSION_H
