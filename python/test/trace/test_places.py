# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places of lines: locations of MLIR, of LLVM IR, of assembly, and of NVIDIA's disassembler."""

import pytest
from tilewright._tools.levels.code import read_assembly, read_llvm, read_sass
from tilewright._tools.levels.mlir import Names, read_module

A, B, C = ("a.py", 1, 2), ("b.py", 3, 4), ("c.py", 5, 6)


def origins(lines, text):
    (found,) = [line.origins for line in lines if text in line.text]
    return [[tuple(frame) for frame in origin] for origin in found]


@pytest.mark.parametrize(
    "location, expected",
    [
        ("unknown", []),
        ('"a.py":1:2', [[A]]),
        ('"a.py":1:2 to 1:9', [[A]]),
        ('"a.py":0:0', []),
        ('"name"("a.py":1:2)', [[A]]),
        ('"a name alone"', []),
        ('callsite("a.py":1:2 at "b.py":3:4)', [[A, B]]),
        ('callsite(callsite("a.py":1:2 at "b.py":3:4) at "c.py":5:6)', [[A, B, C]]),
        ('callsite("f"("a.py":1:2) at unknown)', [[A]]),
        ('fused["a.py":1:2, "b.py":3:4]', [[A], [B]]),
        ('fused<#di_subprogram<"[x">>["a.py":1:2]', [[A]]),
        ('callsite(fused["a.py":1:2, "b.py":3:4] at "c.py":5:6)', [[A, C], [B, C]]),
        ('"\\22)\\C3\\A4.py":7:8', [[('")ä.py', 7, 8)]]),
    ],
)
@pytest.mark.parametrize("form", ["op loc({})", "op loc(#loc1)"])
def test_locations(location, expected, form):
    text = f"{form.format(location)}\n#loc1 = loc({location})\n"
    assert origins(read_module(text, Names()), "op") == expected


@pytest.mark.parametrize(
    "location", ["callsite(", "fused[", '"a.py":', "fused<[", "callsite(#loc1 at #loc1)", "#loc1", "("]
)
def test_broken_locations_have_no_place(location):
    for text in (f"op loc({location})", f"op loc(#loc1)\n#loc1 = loc({location})"):
        assert [line.origins for line in read_module(text, Names()) if line.text == "op"] in ([()], [])


def test_texts_stay():
    row = r'print "a loc(\"b\") } {" : f32'
    (line,) = read_module(f'{row} loc("a.py":1:2)', Names())
    assert line.text == row and origins([line], "print") == [[A]]


def test_scopes_of_tile_ir():
    text = """\
op loc(#loc3)
#loc1 = loc("a.py":1:2)
#di_file = #cuda_tile.di_file<"a.py" in "/">
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 1, name = "k">
#loc2 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc3 = loc(callsite(#loc2 at #loc2))
"""
    lines = read_module(text, Names())
    assert [line.text for line in lines] == ["op"] and origins(lines, "op") == [[A, A]]


def test_both_ends_of_regions():
    text = """\
%0 = reduce %x dim=0
(%a: f32, %b: f32) {
  yield loc("b.py":3:4)
} loc("a.py":1:2)
if %c {
} else {
} loc("c.py":5:6)
"""
    lines = read_module(text, Names())
    for row, expected in (("reduce", A), ("yield", B), ("if", C)):
        assert origins(lines, row) == [[expected]]
    assert [line.text for line in lines if line.text.startswith("}") and line.origins] == ["}", "}"]


def test_names_of_attributes_last():
    """MLIR numbers them by their use; here the same one has the same name, also within another one."""
    names = Names()
    first = read_module("#map = affine_map<() -> ()>\n#map1 = affine_map<(d0) -> (d0)>\nop #map, #map1", names)
    second = read_module('#map = affine_map<(d0) -> (d0)>\n#x = #d.x<#map>\nop #map "#map" #x', names)
    assert first[-1].text == "op #map, #map1"
    assert [line.text for line in second] == [
        "#map1 = affine_map<(d0) -> (d0)>",
        "#x = #d.x<#map1>",
        'op #map1 "#map" #x',
    ]


LLVM = """\
define void @k() !dbg !1 {
  %1 = add i32 %0, 1, !dbg !4
  %2 = mul i32 %1, 2, !dbg !7
  ret void
}
!0 = !DIFile(filename: "a.py", directory: "/f")
!1 = distinct !DISubprogram(name: "k", scope: !0, file: !0, line: 1)
!2 = distinct !DISubprogram(name: "helper", scope: !0, file: !0, line: 9)
!3 = distinct !DISubprogram(name: "k.block", scope: !0, file: !0, line: 1)
!4 = !DILocation(line: 10, column: 2, scope: !2, inlinedAt: !5)
!5 = distinct !DILocation(line: 3, column: 4, scope: !3, inlinedAt: !6)
!6 = distinct !DILocation(line: 1, column: 1, scope: !1)
!7 = !DILocation(line: 0, scope: !1)
"""


def test_llvm():
    """The call of a kernel's body is none of the program's."""
    lines = read_llvm(LLVM)
    assert [line.text for line in lines][-1] == "}" and not any("!" in line.text for line in lines)
    assert origins(lines, "add") == [[("/f/a.py", 10, 2), ("/f/a.py", 3, 4)]]
    assert origins(lines, "mul") == [] and origins(lines, "define") == [[("/f/a.py", 1, 0)]]


def test_assembly():
    text = """\
\t.loc\t1 7 3
\tadd.s32 \t%r1, %r2, %r3;
$L__tmp0:
LABEL:
\t.loc\t2 4 5, function_name $L__x, inlined_at 1 9 1
@%p1\tbra LABEL;
\t.loc\t1 0 0
\tret;
\t.section\t.debug_str
\t.byte 1
\t.text
\tnop;
\t.file\t1 "/f/a.py"
\t.file\t2 "/f" "b.py" md5 0x1
"""
    lines = read_assembly(text)
    assert [line.text.strip() for line in lines] == ["add.s32 \t%r1, %r2, %r3;", "LABEL:", "@%p1\tbra LABEL;", "ret;",
                                                     ".text", "nop;"]  # fmt: skip
    assert origins(lines, "add") == [[("/f/a.py", 7, 3)]] and origins(lines, "ret") == origins(lines, "LABEL:") == []
    assert origins(lines, "bra") == [[("/f/b.py", 4, 5), ("/f/a.py", 9, 1)]]


def test_sass():
    text = """\
\t.section\t.debug_frame,"",@progbits
\t/*0000*/ \t.byte 0x00;
\t.section\t.text.k,"ax",@progbits
.text.k:
\t//## File "/f/b.py", line 4 inlined at "/f/a.py", line 9
\t//## File "/f/a.py", line 9 inlined at "/f/a.py", line 11
        /*0010*/                   IADD3 R1, R2, R3 ;
.L_x_1:
\t//## File "/f/a.py", line 12
        /*0020*/                   EXIT ;
"""
    lines = read_sass(text)
    assert [line.text for line in lines] == [".text.k:", "0010  IADD3 R1, R2, R3 ;", ".L_x_1:", "0020  EXIT ;"]
    assert origins(lines, "IADD3") == [[("/f/b.py", 4, 0), ("/f/a.py", 9, 0), ("/f/a.py", 11, 0)]]
    assert origins(lines, "EXIT") == [[("/f/a.py", 12, 0)]]
