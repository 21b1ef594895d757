// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All operations of the dialect, by family.
include "cuda_tile/ir/Ops/Integer.td"
include "cuda_tile/ir/Ops/Float.td"
include "cuda_tile/ir/Ops/Math.td"
include "cuda_tile/ir/Ops/Convert.td"
include "cuda_tile/ir/Ops/Shape.td"
include "cuda_tile/ir/Ops/memory/View.td"
include "cuda_tile/ir/Ops/memory/Memory.td"
include "cuda_tile/ir/Ops/memory/Atomic.td"
include "cuda_tile/ir/Ops/memory/Token.td"
include "cuda_tile/ir/Ops/Mma.td"
include "cuda_tile/ir/Ops/Reduce.td"
include "cuda_tile/ir/Ops/Control.td"
include "cuda_tile/ir/Ops/Module.td"
include "cuda_tile/ir/Ops/Debug.td"

// The same records as a table for C++, see OpTable.h.
include "llvm/TableGen/SearchableTable.td"

def OpRecords : GenericTable {
  let FilterClass = "CudaTile_Op";
  let CppTypeName = "OpRecord";
  let Fields = ["opName", "opcode", "since", "group"];
}

def lookupOpByOpcode : SearchIndex {
  let Table = OpRecords;
  let Key = ["opcode"];
}
