// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of operands in which neighbours share a scale.
#ifndef TILEWRIGHT_TILEAS_IR_SCALEDOPS
#define TILEWRIGHT_TILEAS_IR_SCALEDOPS

include "tileas/ir/TileasTmemOps.td"

def ScaledMmaOp : Tileas_Op<"mma_scaled", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + (lhs * lhsScale) @ (rhs * rhsScale), by mma.sync with block scales";
  let description = [{
    `tileaa.mma_scaled`, of which it is decided how. What each thread needs of operands and scales follows from the
    accumulator's layout: `operandLayout` and `scaleLayout` (MmaAtom.h). Elements of 4 bits are in bytes, and the atom
    counts them by their 4 bits.

    ```
    %d = tileas.mma_scaled <mma_sync m16n8k32> %a, %b, %c scaled by %s, %t as f8E4M3FN, f8E8M0FNU : ...
    ```
  }];
  let arguments = (ins Tileas_AtomAttr:$atom, AnyStaticShapeTensor:$lhs, AnyStaticShapeTensor:$rhs,
                       AnyStaticShapeTensor:$acc, AnyStaticShapeTensor:$lhsScale, AnyStaticShapeTensor:$rhsScale,
                       TypeAttr:$format, TypeAttr:$scaleFormat);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $atom $lhs `,` $rhs `,` $acc `scaled` `by` $lhsScale `,` $rhsScale `as` $format `,` $scaleFormat attr-dict
    `:` type($lhs) `,` type($rhs) `,` type($acc) `,` type($lhsScale) `,` type($rhsScale)
  }];
}

#endif
