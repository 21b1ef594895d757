// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How operations are laid out in bytecode: two tables computed from their records, so that
// nothing is said twice. An operation in a body is
//   opcode, result types, flag word, attributes, operands, regions
// with these rules, which hold for every operation of the public format:
//   - Result types are counted if the operation has variadic operands or results; else there is
//     one per result. Results that the version of the file lacks are not there and have no
//     number; they are tokens.
//   - The flag word has a bit per unit attribute and optional attribute, in the order of the
//     record, then a bit per optional operand. It is there if the version of the file has any of
//     them.
//   - An attribute is written by the codec of its storage class. One that the version of the
//     file lacks must have its default value.
//   - Operands: with segments (AttrSizedOperandSegments) a variadic one is counted and an
//     optional one is there if flagged. Without segments all operands are counted together if
//     one of them is variadic or optional, and none has a flag.
//   - Regions are counted.
include "cuda_tile/ir/Ops.td"

// The constraint of an argument, without what marks its version.
class ArgumentConstraint<dag arguments, int number> {
  defvar wrapped = !getdagarg<OpVariable>(arguments, number);
  Constraint ret = !if(!initialized(wrapped), wrapped.constraint, !getdagarg<Constraint>(arguments, number));
}
// When an argument or result came, where that is later than `since`.
class ArgumentSince<string since, dag arguments, int number> {
  defvar wrapped = !getdagarg<OpVariable>(arguments, number);
  defvar decorators = !if(!initialized(wrapped), wrapped.decorators, []<OpVariableDecorator>);
  string ret = !foldl(since, decorators, found, decorator,
                      !if(!isa<Since>(decorator), !cast<Since>(decorator).since, found));
}

// Reads and writes the attributes of one storage class, see AttributeCodec.h. An integer needs its
// width as well.
class Codec<Attr attribute> {
  string ret = !cond(
      !not(!initialized(attribute.storageType)): "attributeCodec<::mlir::Attribute>",
      !not(!eq(attribute.storageType, "::mlir::IntegerAttr")): "attributeCodec<" # attribute.storageType # ">",
      !eq(attribute.summary, I32Attr.summary): "integerCodec<32>",
      !eq(attribute.summary, I64Attr.summary): "integerCodec<64>");
}

class PayloadField<CudaTile_Op op, int number> {
  Constraint constraint = ArgumentConstraint<op.arguments, number>.ret;
  bits<16> opcode = op.opcode;
  bits<16> position = number;
  string name = !getdagname(op.arguments, number);
  string since = ArgumentSince<op.since, op.arguments, number>.ret;
  string kind = "FieldKind::" # !cond(
      !isa<Variadic>(constraint): "Operands",
      !isa<Optional>(constraint): "OptionalOperand",
      !not(!isa<Attr>(constraint)): "Operand",
      !eq(!cast<string>(constraint), "UnitAttr"): "Flag",
      !isa<OptionalAttr>(constraint): "OptionalAttribute",
      true: "Attribute");
  string codec = !if(!isa<Attr>(constraint), "&" # Codec<!cast<Attr>(constraint)>.ret, "nullptr");
}

def PayloadFields : GenericTable {
  let FilterClass = "PayloadField";
  let Fields = ["opcode", "position", "name", "since", "kind", "codec"];
  string TypeOf_kind = "code";
  string TypeOf_codec = "code";
}

// Whether one of the arguments or results is of the class: 1 for Variadic, 2 for Optional.
class HasVariadic<dag values> {
  bit ret = !foldl(0, !range(!size(values)), found, number,
                   !or(found, !isa<Variadic>(ArgumentConstraint<values, number>.ret)));
}
class HasOptional<dag values> {
  bit ret = !foldl(0, !range(!size(values)), found, number,
                   !or(found, !isa<Optional>(ArgumentConstraint<values, number>.ret)));
}

class PayloadForm<CudaTile_Op op> {
  bits<16> opcode = op.opcode;
  bit isInBody = !eq(op.section, "");
  bit hasSegments = !foldl(0, op.traits, found, trait, !or(found, !eq(trait, AttrSizedOperandSegments)));
  bit hasVariadic = HasVariadic<op.arguments>.ret;
  bit hasCountedResults = !or(hasVariadic, HasVariadic<op.results>.ret);
  bit hasCountedOperands = !and(!not(hasSegments), !or(hasVariadic, HasOptional<op.arguments>.ret));
  bits<16> numResults = !size(op.results);
  string resultsSince = !foldl(op.since, !range(!size(op.results)), found, number,
                               ArgumentSince<found, op.results, number>.ret);
  bits<16> numRegions = !size(op.regions);
}
def PayloadForms : GenericTable {
  let FilterClass = "PayloadForm";
  let Fields = ["opcode", "isInBody", "hasCountedResults", "hasCountedOperands", "hasSegments", "numResults",
                "numRegions", "resultsSince"];
}

// Values of enumerations that came later than these.
class LaterCase<CudaTile_EnumAttr attr, CudaTile_LaterCase enumerator> {
  string attribute = attr.mnemonic;
  bits<8> value = enumerator.value;
  string since = enumerator.since;
}
def LaterCases : GenericTable {
  let FilterClass = "LaterCase";
  let Fields = ["attribute", "value", "since"];
}
foreach attr = !instances<CudaTile_EnumAttr>() in {
  foreach enumerator = attr.enum.enumerants in {
    if !isa<CudaTile_LaterCase>(enumerator) then {
      def : LaterCase<attr, !cast<CudaTile_LaterCase>(enumerator)>;
    }
  }
}

foreach op = !instances<CudaTile_Op>() in {
  def : PayloadForm<op>;
  foreach number = !range(!size(op.arguments)) in {
    def : PayloadField<op, number>;
  }
}
