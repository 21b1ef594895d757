// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cuda_tile dialect and the record class every operation of it derives from.
#ifndef TILEWRIGHT_CUDA_TILE_IR_DIALECT_TD
#define TILEWRIGHT_CUDA_TILE_IR_DIALECT_TD

include "mlir/IR/OpBase.td"

def CudaTile_Dialect : Dialect {
  let name = "cuda_tile";
  let cppNamespace = "::tilewright::cuda_tile";
  let summary = "Tile IR, the public input language of the tile compiler";
  let description = [{
    A kernel is an `entry` inside a `module`. Values are tiles (immutable, static
    power-of-two shape), views of global memory, and tokens. Memory operations whose
    name ends in `_tko` are ordered by tokens only, never by their place in the text.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

// One record is the source for documentation, version checks, bytecode and verifier.
// Operands and attributes stand in the order of the encoding: operands as encoded, then
// attributes as encoded; a flag word holds one bit per optional attribute, in that order,
// then one bit per optional operand.
class CudaTile_Op<string mnemonic, bits<16> number, string version, string family,
                  list<Trait> traits = []> : Op<CudaTile_Dialect, mnemonic, traits> {
  // Number of the operation in bytecode.
  bits<16> opcode = number;
  // First Tile IR version that has the operation.
  string since = version;
  string group = family;
  // Section of a bytecode file that has the operation in a form of its own. Empty: it is an
  // instruction of a body, and Payload.td says how it is laid out.
  string section = "";
}

// Marks an operand, an attribute or a result that came later than its operation.
class Since<string version> : OpVariableDecorator {
  string since = version;
}
class AddedIn<string version, Constraint constraint, string text = "">
    : Arg<constraint, text, [Since<version>]>;

#endif
