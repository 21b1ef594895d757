// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_IR_INTERFACES
#define TILEWRIGHT_TILEAS_IR_INTERFACES

include "mlir/IR/Interfaces.td"

def Tileas_PipelineStep : OpInterface<"PipelineStep"> {
  let cppNamespace = "::tilewright::tileas";
  let description = [{
    An operation at a stage of a pipeline. An agent's stage is that of its state, which is an operand once
    tileas-carry-pipeline-state has run; all threads of a CTA name the stage instead.
  }];
  let methods = [
    InterfaceMethod<"The pipeline.", "::mlir::Value", "getPipeline">,
    InterfaceMethod<"The agent's state; null before it is carried.", "::mlir::Value", "getState">,
    InterfaceMethod<"The operand of the state, or none.", "::mlir::MutableOperandRange", "getStateMutable">
  ];
}

#endif
