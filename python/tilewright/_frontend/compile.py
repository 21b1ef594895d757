# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The front end on one screen: a kernel and its signatures become a verified cuda_tile module."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tilewright._frontend.dumps import show_module, show_operations
from tilewright._frontend.entry import EntryBuilder
from tilewright._frontend.garbage import without_garbage_collection
from tilewright._frontend.ir.attributes import Attributes, Hints
from tilewright._frontend.ir.emit import Emitter
from tilewright._frontend.ir.program import Block, resolve
from tilewright._frontend.passes.contract_fma import contract_fma
from tilewright._frontend.passes.eliminate_dead_code import eliminate_dead_code
from tilewright._frontend.passes.fit_target import Target, fit_target
from tilewright._frontend.passes.forward_values import forward_values
from tilewright._frontend.passes.order_memory import order_memory
from tilewright._frontend.recursion import deep_recursion
from tilewright._frontend.signature import CompiledModule, ConstantSpec, ParameterSource, Signature
from tilewright._frontend.source.functions import function_source
from tilewright._frontend.source.location import Location
from tilewright._frontend.trace.calls.inlining import run_function
from tilewright._frontend.trace.frame import Frame, captured_names
from tilewright._frontend.trace.language import TILE_CODE
from tilewright._frontend.trace.tracer import Named, Tracer
from tilewright._frontend.values.kinds import describe
from tilewright._runtime import environment
from tilewright.errors import TileError, TileInternalError, TileRecursionError, TileTypeError

if TYPE_CHECKING:
    from tilewright.kernel import kernel as Kernel

_HINTS = {"num_ctas": "num_cta_in_cga", "occupancy": "occupancy", "num_worker_warps": "num_worker_warps_per_cta"}


Trace = tuple[Block, tuple[ParameterSource, ...], Location]
"""A kernel as operations, before any pass; its entry's parameters; where it is."""


def compile_to_module(kernel: Kernel, signature: Signature, names: bool = False) -> CompiledModule:
    """Trace `kernel` for the argument specs of `signature` and build its module. With `names`, locations say what
    values are called in Python."""
    name = _symbol(kernel)
    module, (parameters,) = compile_entries(kernel, {name: signature}, hint_attributes(kernel), names)
    return CompiledModule(module, name, parameters)


@without_garbage_collection()
def compile_traced(kernel: Kernel, signature: Signature, trace: Trace) -> CompiledModule:
    """As compile_to_module, of a kernel that has been traced without failures; its operations change."""
    emitter, name = _emitter(), _symbol(kernel)
    _add_entry(emitter, name, signature, trace, hint_attributes(kernel), None)
    return CompiledModule(_verified(kernel, emitter), name, trace[1])


@without_garbage_collection()
def compile_entries(
    kernel: Kernel,
    signatures: dict[str, Signature],
    attributes: Attributes,
    names: bool = False,
    target: Target | None = None,
) -> tuple[Any, list[tuple[ParameterSource, ...]]]:
    """One module with an entry for each symbol, and the parameters of each; it fits `target`, if there is one."""
    emitter, parameters = _emitter(), []
    for symbol, signature in signatures.items():
        named: list[Named] | None = [] if names else None
        trace = trace_kernel(kernel, signature, named)
        _add_entry(emitter, symbol, signature, trace, attributes, target, named)
        parameters.append(trace[1])
    return _verified(kernel, emitter), parameters


def _symbol(kernel: Kernel) -> str:
    return re.sub(r"\W", "_", kernel.__name__)


def _emitter() -> Emitter:
    from tilewright import _native

    return Emitter(_native, "kernels")


def _add_entry(
    emitter: Emitter,
    symbol: str,
    signature: Signature,
    trace: Trace,
    attributes: Attributes,
    target: Target | None,
    named: list[Named] | None = None,
) -> None:
    block, parameters, location = trace
    lower(block, signature)
    if target is not None:
        fit_target(block, target)
    show_operations(symbol, block)
    emitter.names = names_of(named or [])
    emitter.emit_entry(symbol, block, [p.name for p in parameters], location, attributes)


def _verified(kernel: Kernel, emitter: Emitter) -> Any:
    """The module of all entries."""
    try:
        emitter.module.verify()
    except RuntimeError as error:
        raise TileInternalError(f"the front end built a module that is not valid, please report it: {error}") from None
    show_module(kernel.function, emitter.module)
    return emitter.module


def names_of(named: list[Named]) -> dict[int, list[str]]:
    """The variables that each value is assigned to, by its identity."""
    names: dict[int, list[str]] = {}
    for name, value, _ in named:
        of_value = names.setdefault(id(resolve(value)), [])
        if name not in of_value:
            of_value.append(name)
    return names


def trace_kernel(
    kernel: Kernel, signature: Signature, named: list[Named] | None = None, failures: list[TileError] | None = None
) -> Trace:
    """The kernel as operations, before any pass. `named` gets what is assigned to variables, and `failures` the errors
    of statements: the operations are then those of the others."""
    function = kernel.function
    source = function_source(function)
    block = Block()
    frame = Frame(source, None, captured_names(function), function.__globals__)
    tracer = Tracer(TILE_CODE, block, frame, named, failures)
    location = tracer.location
    try:
        entry = EntryBuilder(tracer, block, kernel.batch)
        for i, (parameter, spec) in enumerate(zip(kernel.parameters, _all_arguments(kernel, signature), strict=True)):
            frame.names[parameter.name] = entry.argument(spec, parameter.name, (i,))
        with deep_recursion():
            result = run_function(tracer, source.node)
        if result is not None:
            raise TileTypeError(
                f"kernel {source.name}() returns a {describe(result)}; store results to an array", location
            )
        tracer.node = source.node
        tracer.emit("return", [], [])
    except RecursionError:
        raise TileRecursionError("calls are nested too deep; tile code cannot recurse", location) from None
    except TileError as error:
        if error.location is None:
            error.location = location
        raise
    return block, tuple(entry.parameters), location


def _all_arguments(kernel: Kernel, signature: Signature) -> list[Any]:
    arguments = list(signature.arguments)
    missing = kernel.parameters[len(arguments) :]
    if len(arguments) > len(kernel.parameters) or not all(p.has_default for p in missing):
        names = ", ".join(p.name for p in kernel.parameters)
        raise TileTypeError(
            f"kernel {kernel.__name__}() takes {len(kernel.parameters)} arguments ({names}), found {len(arguments)}"
        )
    return [*arguments, *(ConstantSpec(p.default) for p in missing)]


def lower(block: Block, signature: Signature) -> None:
    """Passes in order, in place."""
    forward_values(block)
    # Before fusing, so that a product that only dead code reads as well can be fused.
    eliminate_dead_code(block)
    if signature.contract_fma:
        contract_fma(block)
    if not environment.value("CUDA_TILE_TESTING_DISABLE_TOKEN_ORDER"):
        order_memory(block)
    # Most token chains lead nowhere: a loop that only reads an array carries none.
    eliminate_dead_code(block)


def hint_attributes(kernel: Kernel, only: str | None = None) -> Attributes:
    """The kernel's hints by target, or what they come to for the target `only`; opt_level is the launcher's."""
    by_target: dict[str, dict[str, int | bool]] = {}
    for name, value in kernel.hints.items():
        if name not in _HINTS or value is None:
            continue
        targets = {"default": value}
        if hasattr(value, "by_target"):
            targets = {"default": value.default, **value.by_target}
        if only is not None:
            targets = {only: targets.get(only, targets["default"])}
        for target, amount in targets.items():
            if isinstance(amount, int):
                by_target.setdefault(target, {})[_HINTS[name]] = amount
    return {"optimization_hints": Hints(by_target)} if by_target else {}
