// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TARGET_NVIDIA_BACKENDFAULTS_H
#define TILEWRIGHT_TARGET_NVIDIA_BACKENDFAULTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::nvidia {

// Says in other words what LLVM's code generator and assemblers in use make wrong code of; behind the optimizer, which
// would say it in the former again.
//
// LLVM 22 takes a flag as a signed number, 0 or -1, for 1 where there is an instruction for the type (bf16), also
// behind an extension, which it takes away: it becomes a choice.
//
// ptxas 13.0 takes the lower bits of a float for a number: where LLVM stores them from the register of the whole float,
// as it does for a truncation, and by parts where an address is not aligned, it converts the float to an integer of
// that size. 13.5 stores the bits.
//
//   add.rn.f64 %rd1, ...              add.rn.f64 %rd1, ...
//   st.b32 [%rd2], %rd1        -->    cvt.u32.u64 %r1, %rd1
//                                     st.b32 [%rd2], %r1
//
// ptxas 13.0 and the driver's take what `abs.s16` and `abs.s32` give for positive, which it is not of the smallest
// number: `rem.s32` of it has the wrong sign, and so has `abs.s16` behind a conversion to 32 bits (H200, seen). It
// becomes the larger of the number and its negative. `neg.s16` of the smallest number is 32768 to what comes next, a
// shift, a division, a comparison; it becomes the complement and one. So does a `neg.s32` whose result is compared: of
// max(max(-a, -b), max(-c, -d)) ptxas 13.0 makes one instruction of three operands for sm_90, which gives another
// number.
void avoidBackEndFaults(llvm::Module &module);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_BACKENDFAULTS_H
