// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of operands with block scales.
#ifndef TILEWRIGHT_TILEAS_IR_SCALEDOPS
#define TILEWRIGHT_TILEAS_IR_SCALEDOPS

include "tileas/ir/TileasTmemOps.td"

def ScaledMmaOp : Tileas_Op<"mma_scaled", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "block-scaled mma by mma.sync, acc + (lhs * lhsScale) @ (rhs * rhsScale)";
  let description = [{
    A `tileaa.mma_scaled` for which an instruction has been selected. The accumulator's layout determines the
    elements of operands and scales that each thread needs: `operandLayout` and `scaleLayout` (MmaAtom.h). Elements
    of 4 bits have a byte each, and the shape of the atom counts elements.

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
