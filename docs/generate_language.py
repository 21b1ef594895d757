#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/language.md: what the language has, and which test shows it.

The rows are the public names of the package, their parameters, and CONSTRUCTS below. A row is done if a test uses it in
tile code; which does is read from the sources of the tests. docs/generate_language.py keeps the tests that the page
names as long as they still do.
"""

import ast
import enum
import functools
import inspect
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "language.md"
TESTS = ROOT / "python" / "test"
NAMES = """
atomics cache_listing checked_mode command_line compilation_export compilation_mangling compilation_signatures
compiler_failures environment gpu_launch integer_mma jax kernel_faults launch_arguments launch_runtime
matrix_formats memory_operations memory_order same_memory tile_module tune debugger array_sources
""".split()
FILES = [*sorted(TESTS.glob("language/test_language_*.py")), *(next(TESTS.glob(f"*/test_{name}.py")) for name in NAMES)]

HEAD = """# The language

Source compatible with cuda.tile 1.7: what it has, and the test that shows it. Written by `docs/generate_language.py`
from the public names of the package, whose signatures a test compares with the reference's where that is installed
(`python/test/language/test_language_signatures.py`), and from the sources of the tests. A row is *done* if the test
that it names uses it in tile code or calls it; a test asks that every row is, and that its test still does. Constructs
of Python that tile code does not have are *refused*, with an error at the place. The tests of `cutile_call` are skipped
where JAX is not installed.
"""

# Tests of which each function is refused, for the one construct in it that tile code does not have.
REFUSALS = ("test_unsupported_construct", "test_statements_that_tile_code_does_not_have")

_BINDS = (ast.FunctionDef, ast.Lambda)


def _is(kind):
    return lambda node: isinstance(node, kind)


def _last_name(node):
    """`c` of `a.b.c`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _call_of(name):
    return lambda node: isinstance(node, ast.Call) and _last_name(node.func) == name


def _for_over(name):
    return lambda node: isinstance(node, ast.For) and _call_of(name)(node.iter)


def _inside(outer, inner):
    return lambda node: outer(node) and any(inner(n) for child in ast.iter_child_nodes(node) for n in ast.walk(child))


def _operator(*kinds):
    return lambda node: isinstance(node, (ast.BinOp, ast.UnaryOp, ast.AugAssign)) and isinstance(node.op, kinds)


def _compares(*kinds):
    return lambda node: isinstance(node, ast.Compare) and any(isinstance(op, kinds) for op in node.ops)


def _arguments(part):
    return lambda node: isinstance(node, _BINDS) and bool(getattr(node.args, part))


_LOOP = _is((ast.For, ast.While))
_SLICE = _is(ast.Slice)
# Label, the syntax that it is, and whether tile code has it.
CONSTRUCTS = [
    (
        "arithmetic: + - * / // % **",
        _operator(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
        True,
    ),
    ("matrix product: @", _operator(ast.MatMult), True),
    ("bits: & \\| ^ << >>", _operator(ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift), True),
    ("unary - and ~", _operator(ast.USub, ast.Invert), True),
    ("comparison", _compares(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq), True),
    ("chained comparison", lambda n: isinstance(n, ast.Compare) and len(n.ops) > 1, True),
    ("`is`, `is not`", _compares(ast.Is, ast.IsNot), True),
    ("`in`, `not in`", _compares(ast.In, ast.NotIn), True),
    ("`and`, `or`", _is(ast.BoolOp), True),
    ("`not`", _operator(ast.Not), True),
    ("conditional expression", _is(ast.IfExp), True),
    ("assignment expression (`:=`)", _is(ast.NamedExpr), True),
    ("f-string", _is(ast.JoinedStr), True),
    ("tuple", _is(ast.Tuple), True),
    ("tuple from a generator", lambda n: _call_of("tuple")(n) and any(map(_is(ast.GeneratorExp), n.args)), True),
    ("dict", _is(ast.Dict), True),
    ("subscript of a tuple, slice of a tuple", _inside(_is(ast.Subscript), _SLICE), True),
    ("`t[:, None]`", lambda n: isinstance(n, ast.Subscript) and "None" in ast.unparse(n.slice), True),
    ("assignment to several names", lambda n: isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple), True),
    (
        "starred assignment",
        _inside(_is(ast.Assign), lambda n: isinstance(n, ast.Starred) and isinstance(n.ctx, ast.Store)),
        True,
    ),
    ("augmented assignment", _is(ast.AugAssign), True),
    ("annotated assignment", _is(ast.AnnAssign), True),
    ("`pass`", _is(ast.Pass), True),
    ("`if`, `elif`, `else`", _is(ast.If), True),
    ("`for` over `range`", _for_over("range"), True),
    ("`for` over `static_iter`", _for_over("static_iter"), True),
    ("`while`", _is(ast.While), True),
    ("`break`", _is(ast.Break), True),
    ("`continue`", _is(ast.Continue), True),
    ("`return` inside of a branch", _inside(_is(ast.If), _is(ast.Return)), True),
    ("`return` inside of a loop", _inside(_LOOP, _is(ast.Return)), True),
    ("`with` a context manager", _is(ast.With), True),
    ("`raise static_exception(...)`", _inside(_is(ast.Raise), _call_of("static_exception")), True),
    ("nested function", _inside(_is(ast.FunctionDef), _is(ast.FunctionDef)), True),
    ("lambda", _is(ast.Lambda), True),
    ("default arguments", _arguments("defaults"), True),
    ("keyword-only arguments", _arguments("kwonlyargs"), True),
    ("`*args`", _arguments("vararg"), True),
    ("`**kwargs`", _arguments("kwarg"), True),
    ("`f(*t)`", lambda n: isinstance(n, ast.Call) and any(map(_is(ast.Starred), n.args)), True),
    ("`f(**d)`", lambda n: isinstance(n, ast.Call) and any(k.arg is None for k in n.keywords), True),
    ("`len`", _call_of("len"), True),
    ("`int`, `float`, `bool`", lambda n: any(_call_of(c)(n) for c in ("int", "float", "bool")), True),
    (
        "`abs`, `min`, `max`, `divmod`",
        lambda n: (
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in ("abs", "min", "max", "divmod")
        ),
        True,
    ),
    ("`print`", _call_of("print"), True),
    ("`dataclasses.replace`", _call_of("replace"), True),
    ("list", _is(ast.List), False),
    ("list comprehension", _is(ast.ListComp), False),
    ("set", _is((ast.Set, ast.SetComp)), False),
    ("dict comprehension", _is(ast.DictComp), False),
    ("`yield`", _is((ast.Yield, ast.YieldFrom)), False),
    ("`await`, `async def`", _is((ast.Await, ast.AsyncFunctionDef)), False),
    ("`try`", _is(ast.Try), False),
    (
        "`raise` of anything else",
        lambda n: isinstance(n, ast.Raise) and not (n.exc and _inside(_is(ast.Raise), _call_of("static_exception"))(n)),
        False,
    ),
    ("`assert`", _is(ast.Assert), False),
    ("`else` of a loop", lambda n: isinstance(n, (ast.For, ast.While)) and bool(n.orelse), False),
    ("`global`, `nonlocal`", _is((ast.Global, ast.Nonlocal)), False),
    ("`del`", _is(ast.Delete), False),
    ("`import`", _is((ast.Import, ast.ImportFrom)), False),
    ("`class`", _is(ast.ClassDef), False),
]


def _package():
    sys.path.insert(0, str(ROOT / "python"))
    import tilewright

    return tilewright


def _parameters(function):
    """Names of what a caller may leave out."""
    return [p.name for p in inspect.signature(function).parameters.values()
            if p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]  # fmt: skip


def _rows_of(name, value):
    """A name, and its parameters that have a default."""
    yield name
    yield from (f"{name}({parameter})" for parameter in _parameters(value))


def sections():
    """(title, rows): every public thing by its name."""
    ct = _package()
    from tilewright import compilation, experimental, jax, tune

    functions, classes, errors, enums, dtypes, others = [], {}, [], {}, [], []
    for name in ct.__all__:
        value = getattr(ct, name)
        if inspect.isclass(value) and issubclass(value, BaseException):
            errors.append(name)
        elif inspect.isclass(value) and issubclass(value, enum.Enum):
            enums[name] = [f"{name}.{member.name}" for member in value]
        elif inspect.isclass(value):
            classes[name] = list(_members(name, value))
        elif isinstance(value, ct.DType):
            dtypes.append(name)
        elif inspect.isfunction(value):
            functions.extend(_rows_of(name, value))
        elif not inspect.ismodule(value) and name != "newaxis":
            others.append(name)
    yield "Functions", functions
    for title, names in (
        ("Tiles, arrays and views", ("Tile", "Array", "TiledView", "RawArrayMemory", "Slice")),
        ("Kernels and modules", ("kernel", "ByTarget", "TileModule")),
    ):
        yield title, [row for name in names for row in classes.pop(name)]
    classes.pop("DType")  # its other members are the front end's
    yield "Dtypes", [*dtypes, "DType", "DType.name", "DType.bitwidth"]
    yield "Annotations", [*others, *(row for name in list(classes) for row in classes.pop(name))]
    for name, members in enums.items():
        yield name, members
    yield "Errors", errors
    for module in (compilation, tune, experimental, jax):
        rows = []
        for name in module.__all__:
            value = getattr(module, name)
            rows.extend(_rows_of(name, value) if inspect.isfunction(value) else _members(name, value))
        yield f"`{module.__name__}`", rows


def _members(name, value):
    yield name
    if not inspect.isclass(value) or issubclass(value, BaseException):
        return
    for member, what in vars(value).items():
        if member.startswith("_") or isinstance(what, type(len)):
            continue
        function = what.__func__ if isinstance(what, staticmethod) else what
        if inspect.isfunction(function):
            yield from _rows_of(f"{name}.{member}", function)
        elif isinstance(what, property) or type(what).__name__ == "tile_attribute":
            yield f"{name}.{member}"


# ---- what tests use ----


class _Uses(ast.NodeVisitor):
    """The rows that a piece of source uses."""

    def __init__(self, index):
        self.index = index
        self.found = set()
        self.strings = set()
        self.by_name = False  # looks names up in the package
        self.forwards = set()  # functions that are called with forwarded keywords
        self.keywords = set()

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id in ("ct", "compilation", "tune", "experimental"):
            self.found.add(node.attr)
        elif isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name) and (
            node.value.value.id == "ct"):  # fmt: skip
            owner = "DType" if node.value.attr in self.index.dtypes else node.value.attr
            self.found.add(f"{owner}.{node.attr}")
        self.found.update(self.index.members.get(node.attr, ()))
        self.generic_visit(node)

    def visit_Name(self, node):
        if node.id in self.index.top:
            self.found.add(node.id)

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self.strings.add(node.value)

    def visit_Call(self, node):
        last, function = _last_name(node.func), node.func
        if last == "getattr" and _last_name(node.args[0]) == "ct":
            self.by_name = True
        if isinstance(function, ast.Name):  # another function may have a name of the language
            owners = [last] if last in self.index.top else ()
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "ct":
            owners = [last]
        else:
            owners = self.index.members.get(last, ())
        for owner in owners:
            names = self.index.signatures.get(owner, ())
            given = [k.arg for k in node.keywords] + list(names[: len(node.args)])
            self.found.update(f"{owner}({name})" for name in given)
            variadic = self.index.variadic.get(owner, ())
            if any(k.arg not in names for k in node.keywords) or len(node.args) >= len(names):
                self.found.update(f"{owner}({name})" for name in variadic)
            if any(k.arg is None for k in node.keywords):
                self.forwards.add(owner)
        self.keywords.update(k.arg for k in node.keywords)
        self.generic_visit(node)


class _Index:
    """The possible meanings of names in tests."""

    def __init__(self):
        ct = _package()
        from tilewright import compilation, experimental, jax, tune

        self.members, self.signatures, self.variadic = {}, {}, {}
        self.dtypes = {name for name in ct.__all__ if isinstance(getattr(ct, name), ct.DType)}
        self.top = {name for module in (compilation, experimental, jax, tune) for name in module.__all__}
        for module in (ct, compilation, tune, experimental, jax):
            for name in module.__all__:
                value = getattr(module, name)
                if inspect.isclass(value) and not issubclass(value, enum.Enum):
                    for row in _members(name, value):
                        if "(" not in row and row != name:
                            self.members.setdefault(row.split(".")[1], []).append(row)
                            member = inspect.getattr_static(value, row.split(".")[1])
                            member = member.__func__ if isinstance(member, staticmethod) else member
                            if inspect.isfunction(member):
                                self._sign(row, member, skips=isinstance(member, staticmethod) or 1)
                elif inspect.isfunction(value):
                    self._sign(name, value)

    def _sign(self, row, function, skips=0):
        parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
        self.signatures[row] = [p.name for p in parameters]
        self.variadic[row] = [p.name for p in parameters if p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


@functools.cache
def uses():
    """{test: (rows it uses)}: a test is file::function."""
    index = _Index()
    result = {}
    for path in FILES:
        if not path.exists():
            continue
        tree = ast.parse(path.read_text())
        definitions = {}
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                definitions[node.name] = node
            elif isinstance(node, ast.Assign):
                definitions.update({t.id: node for t in node.targets if isinstance(t, ast.Name)})
        for name, node in definitions.items():
            if name.startswith("test_") and isinstance(node, ast.FunctionDef):
                reached = _reach(node, definitions)
                result[f"{path.name}::{name}"] = frozenset(_uses_of(node, reached, index))
    return result


def _reach(node, definitions):
    """The definitions of the file that a test uses, and those that these use."""
    reached, open_ones = {}, [node]
    while open_ones:
        current = open_ones.pop()
        for inner in ast.walk(current):
            name = inner.id if isinstance(inner, ast.Name) else inner.arg if isinstance(inner, ast.arg) else None
            if name in definitions and name not in reached and not name.startswith("test_"):
                reached[name] = definitions[name]
                open_ones.append(definitions[name])
    return list(reached.values())


def _uses_of(test, reached, index):
    visitor = _Uses(index)
    for node in (test, *reached):
        visitor.visit(node)
    found = visitor.found | (visitor.strings if visitor.by_name else set())
    found.update(f"{owner}({name})" for owner in visitor.forwards for name in visitor.keywords | visitor.strings)
    # Tile code: functions inside of the test, and those that it reaches.
    functions = [n for n in ast.walk(test) if isinstance(n, (*_BINDS, ast.AsyncFunctionDef)) and n is not test]
    functions += [node for node in reached if isinstance(node, ast.FunctionDef)]
    refuses = test.name in REFUSALS
    for function in functions:
        found.update(label for label, is_taken in _constructs(function) if is_taken != refuses)
    return found


@functools.cache
def _constructs(function):
    nodes = list(ast.walk(function))
    return [(label, is_taken) for label, matches, is_taken in CONSTRUCTS if any(matches(node) for node in nodes)]


def choose(row, kept):
    """The test that shows a row: the one named so far if it still does, else the one that uses the least besides."""
    candidates = [test for test, found in uses().items() if row in found]
    if kept in candidates:
        return kept
    return min(candidates, key=lambda test: (len(uses()[test]), test), default=None)


def rows_of_page(text):
    """{(section, row): test} of a page."""
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif match := re.match(r"\| (.*?) \| (done|refused|no test) \| (?:`([^`]*)`)? ?\|$", line):
            found[section, match[1]] = match[3]
    return found


def all_rows():
    """(section, row, how it is shown, word for its status)"""
    for title, rows in sections():
        for row in rows:
            yield title, row, f"`{row}`", "done"
    for title, taken in (("Python in tile code", True), ("Python that tile code refuses", False)):
        for label, _, is_taken in CONSTRUCTS:
            if is_taken == taken:
                yield title, label, label, "done" if taken else "refused"


def text(old=""):
    kept = rows_of_page(old)
    parts, last = [HEAD], None
    for title, row, label, word in all_rows():
        if title != last:
            parts.append(f"\n## {title}\n\n| what | status | test |\n|---|---|---|\n")
            last = title
        test = choose(row, kept.get((title, label)))
        parts.append(f"| {label} | {word if test else 'no test'} | {f'`{test}` ' if test else ''}|\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text(PAGE.read_text() if PAGE.exists() else ""))
    missing = [row for row, test in rows_of_page(PAGE.read_text()).items() if test is None]
    print(f"{len(rows_of_page(PAGE.read_text()))} rows, without a test: {len(missing)}")
    for section, row in missing:
        print(f"  {section}: {row}")
