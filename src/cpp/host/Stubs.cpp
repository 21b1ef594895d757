// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/host/Stubs.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tilewright::cpp {

namespace {

// Of <tilewright/launch.h>.
constexpr StringLiteral launchFunction = "__tilewright_launch";
constexpr StringLiteral refuseFunction = "__tilewright_refuse_tiles";

GlobalVariable *addBytes(Module &module, StringRef bytes, const Twine &name, bool addsNull) {
  Constant *value = ConstantDataArray::getString(module.getContext(), bytes, addsNull);
  auto *global =
      new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, value, name);
  global->setAlignment(Align(16));
  return global;
}

// A tilewright_embedded_kernel.
GlobalVariable *addRecord(Module &module, StringRef kernel, GlobalVariable *bundle, uint64_t bundleSize) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *size = module.getDataLayout().getIntPtrType(context);
  Constant *fields[] = {addBytes(module, kernel, "tilewright.name", /*addsNull=*/true), bundle,
                        ConstantInt::get(size, bundleSize), ConstantPointerNull::get(pointer)};
  Constant *value = ConstantStruct::getAnon(fields);
  return new GlobalVariable(module, value->getType(), /*isConstant=*/false, GlobalValue::PrivateLinkage, value,
                            "tilewright.kernel");
}

// The address of a parameter's value, as it is in memory.
Value *spill(IRBuilder<> &builder, Argument &parameter) {
  if (parameter.hasByValAttr())
    return &parameter;
  Value *value = &parameter;
  if (value->getType()->isIntegerTy(1))
    value = builder.CreateZExt(value, builder.getInt8Ty());
  Value *place = builder.CreateAlloca(value->getType());
  builder.CreateStore(value, place);
  return place;
}

void defineStub(Function &stub, Constant *record) {
  auto linkage = stub.getLinkage();
  stub.deleteBody();
  stub.setLinkage(linkage);
  stub.removeFnAttr(Attribute::NoUnwind);
  stub.setSubprogram(nullptr);
  Module &module = *stub.getParent();
  IRBuilder<> builder(BasicBlock::Create(module.getContext(), "entry", &stub));
  Type *pointer = builder.getPtrTy();
  Type *size = module.getDataLayout().getIntPtrType(module.getContext());
  Value *values = builder.CreateAlloca(pointer, builder.getInt32(stub.arg_size()));
  for (Argument &parameter : stub.args())
    builder.CreateStore(spill(builder, parameter),
                        builder.CreateConstInBoundsGEP1_32(pointer, values, parameter.getArgNo()));
  FunctionCallee launch = module.getOrInsertFunction(launchFunction, builder.getVoidTy(), pointer, pointer, size);
  builder.CreateCall(launch, {record, values, ConstantInt::get(size, stub.arg_size())});
  builder.CreateRetVoid();
}

void refuse(Function &operation) {
  operation.setLinkage(GlobalValue::LinkOnceODRLinkage);
  operation.setVisibility(GlobalValue::HiddenVisibility);
  IRBuilder<> builder(BasicBlock::Create(operation.getContext(), "entry", &operation));
  builder.CreateCall(operation.getParent()->getOrInsertFunction(refuseFunction, builder.getVoidTy()));
  builder.CreateUnreachable();
}

} // namespace

void defineStubs(Module &module, const KernelSymbols &symbols, StringRef bundle) {
  GlobalVariable *embedded = bundle.empty() ? nullptr : addBytes(module, bundle, "tilewright.bundle", false);
  for (const auto &[name, kernel] : symbols.kernels) {
    Function *stub = module.getFunction(name);
    if (!stub)
      continue;
    stub->setName(kernel);
    if (!stub->isDeclaration() && embedded) {
      // Linkers choose among such functions of several objects; each has the symbol's new name.
      if (stub->hasComdat())
        stub->setComdat(module.getOrInsertComdat(kernel));
      defineStub(*stub, addRecord(module, kernel, embedded, bundle.size()));
    }
  }
  for (const std::string &name : symbols.operations)
    if (Function *operation = module.getFunction(name); operation && operation->isDeclaration())
      refuse(*operation);
}

} // namespace tilewright::cpp
