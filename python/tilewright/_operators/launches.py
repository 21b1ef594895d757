# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The writes of an operator's kernels, compared with what it declares. Memory is a hashable value, equal for all
arrays in it."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

from tilewright._runtime.observed import Path
from tilewright.errors import OperatorError


class Launches:
    """The launches of one run: which kernels, and which memory each of them writes, with the name of the parameter."""

    def __init__(self) -> None:
        self.kernels: list[str] = []
        self.written: dict[Hashable, tuple[str, str]] = {}

    def note(self, kernel: Any, written: Iterable[tuple[Path, Hashable]]) -> None:
        """One more, by the paths among its arguments to what it writes, and the memory there."""
        name = getattr(kernel, "__name__", repr(kernel))
        self.kernels.append(name)
        for path, memory in written:
            parameter = kernel.parameters[path[0]].name + "".join(f"[{number}]" for number in path[1:])
            self.written.setdefault(memory, (name, parameter))


def check_mutations(
    operator: str, mutates: Collection[str], arguments: Mapping[str, Sequence[Hashable]], launches: Launches
) -> None:
    """OperatorError if other `arguments`, which are known by their memory, are written than `mutates` names."""
    for argument, memories in arguments.items():
        writers = [launches.written[memory] for memory in memories if memory in launches.written]
        if writers and argument not in mutates:
            kernel, parameter = writers[0]
            raise OperatorError(
                f"{operator}: the kernel {kernel} writes its parameter '{parameter}', which is the operator's"
                f" argument '{argument}', but mutates={mutates!r} does not name it"
            )
        if not writers and argument in mutates and memories:
            raise OperatorError(
                f"{operator}: mutates={mutates!r} names the argument '{argument}', but no kernel writes"
                f" it; launched: {', '.join(dict.fromkeys(launches.kernels)) or 'none'}"
            )


def check_results(
    operator: str,
    expected: int | None,
    arguments: Mapping[str, Sequence[Hashable]],
    found: int,
    memories: Sequence[Hashable],
) -> None:
    """The number of results, if one is known, and that none is an argument."""
    if expected is not None and found != expected:
        raise OperatorError(f"{operator}: the function returns {found} results, its annotation says {expected}")
    owners = {memory: name for name, of_argument in arguments.items() for memory in of_argument}
    for number, memory in enumerate(memories):
        if memory in owners:
            raise OperatorError(
                f"{operator}: result {number} is the argument '{owners[memory]}' or a view of it;"
                " return memory of its own, or nothing, and name the argument in mutates"
            )
