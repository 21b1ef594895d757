# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of a module besides operations: entries with parameters and hints, globals, constants, locations."""

from cuda.tile._bytecode import EntryHints, SymbolVisibility

from .arithmetic import CONSTANTS, tiles
from .body import element_bytes
from .modules import Description, Function
from .regions import build_for
from .table import Built
from .types import BITS, I32, INTS, NUMBERS, V1, V3, E, LaterPtrAttr, Ptr, PtrAttr, Tile

ARCHITECTURES = [f"sm_{n}" for n in (80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)]
WITHOUT_CLUSTERS = ARCHITECTURES[:5]


def entries():
    yield Description("no functions", ())
    yield Description("no operations", (Function("f"),))
    yield Description("three functions", tuple(Function(name) for name in "abc"))
    for name in ("a b", "ünï", '"', "3", "a.b$c-d", "\\", "x" * 300):
        yield Description(f"entry named {name[:9]}", (Function(name),))
    scalars = [t for t in tiles(NUMBERS, ((),))] + [Tile(Ptr(e)) for e in CONSTANTS]
    scalars += [Tile(Ptr(E.F32, kind)) for kind in (PtrAttr.Default, *LaterPtrAttr)]
    for type in scalars:
        yield Description(f"parameter {type}", (Function("f", parameters=(type,)),), since=type.since)
    many = (I32, Tile(Ptr(E.F16)), Tile(E.F64), Tile(E.I1)) * 40
    yield Description("many parameters", (Function("f", parameters=many),))


def hints():
    values = [("num_cta_in_cga", n) for n in (1, 2, 4, 8, 16)] + [("occupancy", n) for n in (1, 2, 31, 32)]
    values += [("num_worker_warps_per_cta", n) for n in (4, 8)]
    for name, value in values:
        hint = EntryHints(**{name: value})
        since = V3 if name == "num_worker_warps_per_cta" else V1
        yield Description(f"{name} {value}", (Function("f", hints={"sm_100": hint}),), since)
    every = {architecture: EntryHints(2, 4, 8) for architecture in (*ARCHITECTURES, "default")}
    for architecture in WITHOUT_CLUSTERS:
        every[architecture] = EntryHints(1, 4, 8)
    for architecture, hint in every.items():
        yield Description(f"hints of {architecture}", (Function("f", hints={architecture: hint}),), V3)
    yield Description("hints of all", (Function("f", hints=every),), V3)
    yield Description("empty hints", (Function("f", hints={"sm_90": EntryHints(), "sm_120": EntryHints()}),))


def globals_():
    def description(name, type, numbers, since=V1, **more):
        def define(section, table):
            section.define_global("g", type.write(table), element_bytes(type.element, numbers), **more)

        def use(body):
            body.op("GetGlobal", result_type=Tile(Ptr(type.element)), name="g")

        return Description(f"global {name}", (Function("f", use),), max(since, type.since), define=define)

    for e in CONSTANTS:
        yield description(f"of {e.name}", Tile(e, (4,)), [1, 0, 1, 1])
        yield description(f"splat of {e.name}", Tile(e, (8,)), [1])
    for alignment in (1, 8, 256):
        yield description(f"aligned {alignment}", Tile(E.F32, (4,)), [1], alignment=alignment)
    for private in SymbolVisibility:
        for constant in (False, True):
            is_new = constant or private == SymbolVisibility.Private
            more = {"constant": constant, "symbol_visibility": private}
            yield description(
                f"{private.name} constant={constant}", Tile(E.I32, (2,)), [1, 2], V3 if is_new else V1, **more
            )


SPECIAL = ("nan", "inf", "-inf", -0.0, 1e-45, 1.1, 3e38, 65504.0)


def constants():
    for e in CONSTANTS:
        numbers = [0, 1, 2, 3, 4, 0, 1, 6] if e != E.I1 else [0, 1, 1, 0, 1, 0, 0, 0]
        for shape in ((8,), (2, 4), (1, 2, 2, 2)):
            yield constant(e, shape, numbers)
        yield constant(e, (2, 2), [2])
        yield constant(e, (16,), numbers * 2)
        if e in INTS:
            top = 1 << (BITS[e] - 1)
            for number in {-1, top, top - 1, 0}:
                yield constant(e, (), [number])
            yield constant(e, (2,), [-1, top])
        else:
            shape = (2,) if e == E.F4E2M1FN else ()
            for number in SPECIAL:
                if is_representable(e, number):
                    yield constant(e, shape, [number])


def is_representable(element, number):
    try:
        element_bytes(element, [number])
    except ValueError:
        return False
    return True


def constant(element, shape, numbers):
    type = Tile(element, shape)
    return Built("Constant", f"{type} {numbers}", lambda body: body.constant(type, *numbers), type.since)


# Where things are, given the table of debug attributes and the name of the function they are in: an
# operation's scopes end in the subprogram of its function, which has the function's name for the linker.


def subprogram(debug, function, start=10, name="f", file="k.py", directory="/some/where"):
    file_id = debug.file(file, directory)
    return file_id, debug.subprogram(file_id, start, name, function, debug.compile_unit(file_id), start + 1)


def at(line, column=4, path="/some/where/k.py", **more):
    return lambda debug, function: debug.loc(subprogram(debug, function, **more)[1], path, line, column)


def in_block(debug, function):
    file, scope = subprogram(debug, function)
    for line in (12, 13):
        scope = debug.lexical_block(scope, file, line, 6)
    return debug.loc(scope, "/some/where/k.py", 14, 8)


def inlined(depth):
    def location(debug, function):
        found = at(20)(debug, function)
        for level in range(depth):
            callee = at(30 + level, 0, "/some/where/lib.py", start=100 * level, name=f"g{level}", file="lib.py")
            found = debug.call_site(callee(debug, f"g{level}_linkage"), found)
        return found

    return location


def body_at(*wanted):
    """Operations at these places, and one at none."""

    def fill(body):
        for location in wanted:
            with body.builder.debug_attr(location(body.debug, body.function)):
                body.value(I32)
        body.value(I32)

    return fill


def loop_at(body):
    with body.builder.debug_attr(at(40)(body.debug, body.function)):
        build_for(body, I32, (I32,), False)


LOCATIONS = {
    "line": at(11),
    "line 0": at(0, 0),
    "large numbers": at(2**31 - 1, 65535),
    "block": in_block,
    "call site": inlined(1),
    "deep call site": inlined(5),
}


def locations():
    for name, location in LOCATIONS.items():
        yield Description(f"location: {name}", (Function("f", body_at(location), location=at(9)),))
    everything = body_at(*LOCATIONS.values(), *LOCATIONS.values())
    yield Description("location: all", tuple(Function(name, everything, location=at(9)) for name in "fg"))
    yield Description("location: region", (Function("f", loop_at, location=at(9)),))
    yield Description("location: one of two functions", (Function("f"), Function("g", everything, location=at(9))))
    for odd in ({"name": 'a"b\\'}, {"name": ""}, {"file": "ünï.py"}, {"file": "a b"}, {"directory": ""}):
        yield Description(f"location: {odd}", (Function("f", location=at(1, **odd)),))
    yield Description("location: no file name", (Function("f", location=at(1, 1, "")),))


def descriptions():
    for family in (entries, hints, globals_, locations):
        yield from family()
