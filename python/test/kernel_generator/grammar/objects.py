# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of Python that tile code takes apart: dataclasses, context managers; text that is printed."""

from __future__ import annotations

from kernel_generator.dtypes import int32
from kernel_generator.grammar.accesses import BLOCK
from kernel_generator.grammar.expressions import condition
from kernel_generator.grammar.writer import Variable, Writer, statement


@statement(4)
def make_record(w: Writer, depth: int) -> bool:
    """A dataclass with a default and a method, made, read, and made again with another field."""
    (dtype, shape), (other, other_shape) = w.any_type(), w.any_type()
    class_name, name = w.name("Record"), w.name("o")
    w.helpers += [
        "@dataclasses.dataclass(frozen=True)", f"class {class_name}:", "    first: object", "    second: object",
        f"    third: int = {w.random.randint(0, 9)}", "", "    def chosen(self, more):",
        "        return self.second if more > self.third else self.second", "", "",
    ]  # fmt: skip
    keyword = w.choose(("", "second="))
    w.line(f"{name} = {class_name}({w.value(dtype, shape, 1)}, {keyword}{w.value(other, other_shape, 1)})")
    if w.chance(0.5):
        w.line(f"{name} = dataclasses.replace({name}, first={w.value(dtype, shape, 1)})")
    if w.chance(0.3):
        w.line(f"if {condition(w, 1)}:")
        w.line(f"    {name} = {class_name}({w.value(dtype, shape, 1)}, {w.value(other, other_shape, 1)})")
        second = f"{name}.second"
    else:
        second = w.choose((f"{name}.second", f"{name}.chosen({w.random.randint(0, 9)})"))
    w.declare(Variable(f"{name}.first", dtype, shape, assignable=False))
    w.declare(Variable(second, other, other_shape, assignable=False))
    return True


@statement(3)
def enter_context(w: Writer, depth: int) -> bool:
    """A context manager that stores when it is entered and when it is left, however that is."""
    if w.in_function or depth >= 2 or w.loops:
        return False
    name, value = w.name("manager"), w.name("v")
    out = w.parameter("r", ("result", "int32", (w.blocks, 4), 0))
    w.helpers += [
        "@contextlib.contextmanager", f"def {name}(out, block, at):", "    ct.store(out, (block, at), at + 7)",
        "    yield block * 3 + at", "    ct.store(out, (block, at + 1), ct.load(out, (block, at), ()) + 1)", "", "",
    ]  # fmt: skip
    w.line(f"with {name}({out}, {BLOCK}, {w.random.randint(0, 2)}) as {value}:")
    with w.block():
        w.declare(Variable(value, int32, (), assignable=False))
        from kernel_generator.grammar.statements import write_statements

        w.line("pass")
        write_statements(w, w.random.randint(1, 2), depth + 1)
    return True


@statement(2)
def speak(w: Writer, depth: int) -> bool:
    """Text that is printed is not compared; assertions hold."""
    integers = [v for v in w.visible() if v.dtype.is_integral and v.text.isidentifier()]
    if not integers:
        return False
    variable = w.choose(integers)
    kind = w.choose(("assert", "print", "format"))
    if kind == "assert":
        w.line(f"ct.assert_({variable.text} == {variable.text}, 'a number is itself')")
    elif kind == "print":
        w.line(f"ct.print('v', {variable.text}, sep=': ')")
    elif not variable.shape:
        w.line(f"print(f'{{{variable.text}}} of {variable.dtype}')")
    else:
        return False
    return True
