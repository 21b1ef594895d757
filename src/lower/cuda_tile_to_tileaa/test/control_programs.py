#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the structuring of control flow on random programs.

Each program is a kernel over i32 scalars that prints as it goes. It is interpreted here, and run
through `cuda-tile-to-tileaa` and upstream's lowering of scf by mlir-runner; both have to print
the same numbers.
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys

CONSTANTS = (0, 1, 2, 3, 7)
ARGUMENTS = ((0, 1), (3, 2), (5, 5))
COMPARE = {
    "less_than": lambda a, b: a < b,
    "equal": lambda a, b: a == b,
    "greater_than": lambda a, b: a > b,
    "not_equal": lambda a, b: a != b,
}
LOWER = [
    "--convert-scf-to-cf",
    "--convert-ub-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
]
# Results of longer runs are not compared.
MAX_EVENTS = 300


class Leave(Exception):
    """A jump: yield, break, continue or return, with its values."""

    def __init__(self, kind, values):
        super().__init__(kind)
        self.kind = kind
        self.values = values


class Generator:
    """Programs as lists of statements, tuples whose first member is the kind."""

    def __init__(self, rng):
        self.rng = rng
        self.count = 0
        self.budget = rng.randint(6, 30)

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def pick(self, names, count):
        return [self.rng.choice(names) for _ in range(count)]

    def block(self, names, loop, depth, kind, num_results=0):
        """`loop` is what `continue` and `break` of the innermost loop take, or None."""
        names, out = list(names), []
        for _ in range(self.rng.randint(0, 4)):
            self.budget -= 1
            if self.budget < 0:
                break
            self.statement(names, out, loop, depth)
        out.append(self.terminator(names, loop, kind, num_results))
        return out

    def statement(self, names, out, loop, depth):
        choice = self.rng.random()
        if choice < 0.25 or depth >= 5:
            out.append(("print", self.rng.choice(names)))
        elif choice < 0.45:
            result = self.new()
            out.append(("add", result, *self.pick(names, 2)))
            names.append(result)
        elif choice < 0.75 or depth >= 4:
            condition = self.new()
            out.append(("compare", condition, self.rng.choice(list(COMPARE)), *self.pick(names, 2)))
            results = [self.new() for _ in range(self.rng.randint(0, 2))]
            branches = [self.block(names, loop, depth + 1, "if", len(results)) for _ in range(2)]
            out.append(("if", results, condition, *branches))
            names += results
        elif choice < 0.87:
            self.counting_loop(names, out, depth)
        else:
            self.open_loop(names, loop, out, depth)

    def counting_loop(self, names, out, depth):
        count = self.rng.randint(0, 2)
        results, carried, index = [self.new() for _ in range(count)], [self.new() for _ in range(count)], self.new()
        inits = self.pick(names, count)
        loop = {"continue": count, "break": None, "next": None, "may_return": False}
        body = self.block([*names, index, *carried], loop, depth + 1, "for")
        out.append(("for", results, index, self.rng.choice(("%c3", "%c2", "%c0")), carried, inits, body))
        names += results

    def open_loop(self, names, loop, out, depth):
        """Ends at the latest when its counter, the first carried value, passes 3."""
        count, num_results = self.rng.randint(0, 2), self.rng.randint(0, 3)
        results, carried = [self.new() for _ in range(num_results)], [self.new() for _ in range(count)]
        inits, counter, following, test = self.pick(names, count), self.new(), self.new(), self.new()
        inside = [*names, counter, *carried]
        leave, stay = [("break", self.pick(inside, num_results))], [("yield", [])]
        head = [("print", self.rng.choice(inside))] if self.rng.random() < 0.3 else []
        if self.rng.random() < 0.5:
            head += [("compare", test, "greater_than", counter, "%c3"), ("if", [], test, leave, stay)]
        else:
            head += [("compare", test, "less_than", counter, "%c3"), ("if", [], test, stay, leave)]
        head.append(("increment", following, counter))
        may_return = loop is None or loop["may_return"]
        loop = {"continue": count, "break": num_results, "next": following, "may_return": may_return}
        body = head + self.block(inside, loop, depth + 1, "loop")
        out.append(("loop", results, [counter, *carried], ["%c0", *inits], body))
        names += results

    def terminator(self, names, loop, kind, num_results):
        def next_iteration():
            return ("continue", ([loop["next"]] if loop["next"] else []) + self.pick(names, loop["continue"]))

        choice = self.rng.random()
        if kind == "entry":
            return ("return", [])
        if kind == "for" or (kind == "loop" and choice < 0.9):
            return next_iteration()
        if kind == "loop":
            return ("break", self.pick(names, loop["break"]))
        if 0.55 <= choice < 0.68 and (loop is None or loop["may_return"]):
            return ("return", [])
        if loop and 0.68 <= choice < 0.85:
            return next_iteration()
        if loop and loop["break"] is not None and choice >= 0.85:
            return ("break", self.pick(names, loop["break"]))
        return ("yield", self.pick(names, num_results))


def types(names):
    return ", ".join(["tile<i32>"] * len(names))


def print_block(block, lines):
    for kind, *rest in block:
        if kind == "print":
            lines.append(f'%t{len(lines)} = print_tko "%d", {rest[0]} : tile<i32> -> token')
        elif kind == "add":
            lines.append(f"{rest[0]}_sum = addi {rest[1]}, {rest[2]} : tile<i32>")
            lines.append(f"{rest[0]} = andi {rest[0]}_sum, %c7 : tile<i32>")
        elif kind == "increment":
            lines.append(f"{rest[0]} = addi {rest[1]}, %c1 : tile<i32>")
        elif kind == "compare":
            lines.append(f"{rest[0]} = cmpi {rest[1]} {rest[2]}, {rest[3]}, signed : tile<i32> -> tile<i1>")
        elif kind == "if":
            results, condition, *branches = rest
            arrow = f" -> ({types(results)})" if results else ""
            lines.append(f"{assignment(results)}if {condition}{arrow} {{")
            print_block(branches[0], lines)
            lines.append("} else {")
            print_block(branches[1], lines)
            lines.append("}")
        elif kind == "for":
            results, index, bound, carried, inits, body = rest
            values = f" iter_values({pairs(carried, inits)}) -> ({types(carried)})" if carried else ""
            lines.append(f"{assignment(results)}for {index} in (%c0 to {bound}, step %c1) : tile<i32>{values} {{")
            print_block(body, lines)
            lines.append("}")
        elif kind == "loop":
            results, carried, inits, body = rest
            arrow = f" -> {types(results)}" if results else ""
            lines.append(f"{assignment(results)}loop iter_values({pairs(carried, inits)}) : {types(carried)}{arrow} {{")
            print_block(body, lines)
            lines.append("}")
        else:
            lines.append(f"{kind} {', '.join(rest[0])} : {types(rest[0])}" if rest[0] else kind)


def assignment(results):
    return f"{', '.join(results)} = " if results else ""


def pairs(names, values):
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def interpret(block, env, events):
    for kind, *rest in block:
        if len(events) > MAX_EVENTS:
            raise Leave("return", [])
        if kind == "print":
            events.append(env[rest[0]])
        elif kind == "add":
            env[rest[0]] = (env[rest[1]] + env[rest[2]]) & 7
        elif kind == "increment":
            env[rest[0]] = env[rest[1]] + 1
        elif kind == "compare":
            env[rest[0]] = COMPARE[rest[1]](env[rest[2]], env[rest[3]])
        elif kind == "if":
            results, condition, then, otherwise = rest
            values = catch(then if env[condition] else otherwise, env, events, "yield")
            env.update(zip(results, values, strict=True))
        elif kind == "for":
            results, index, bound, carried, inits, body = rest
            values = [env[name] for name in inits]
            for number in range(env[bound]):
                env[index] = number
                env.update(zip(carried, values, strict=True))
                values = catch(body, env, events, "continue")
            env.update(zip(results, values, strict=True))
        elif kind == "loop":
            results, carried, inits, body = rest
            values = [env[name] for name in inits]
            try:
                while True:
                    env.update(zip(carried, values, strict=True))
                    values = catch(body, env, events, "continue")
            except Leave as leave:
                if leave.kind != "break":
                    raise
                env.update(zip(results, leave.values, strict=True))
        else:
            raise Leave(kind, [env[name] for name in rest[0]])


def catch(block, env, events, kind):
    """The values with which a block ends in one way; other ways go on outwards."""
    try:
        interpret(block, env, events)
    except Leave as leave:
        if leave.kind == kind:
            return leave.values
        raise
    raise AssertionError("a block without a terminator")


def expected_events(block, first, second):
    env = {"%a": first, "%b": second, **{f"%c{value}": value for value in CONSTANTS}}
    events = []
    try:
        interpret(block, env, events)
    except Leave:
        pass
    return events


def write_module(blocks):
    lines = ["cuda_tile.module @m {"]
    for number, block in enumerate(blocks):
        lines.append(f"entry @k{number}(%a: tile<i32>, %b: tile<i32>) {{")
        lines += [f"%c{value} = constant <i32: {value}> : tile<i32>" for value in CONSTANTS]
        print_block(block, lines)
        lines.append("}")
    return "\n".join([*lines, "}", ""])


def make_executable(tileaa, number):
    """Prints become calls of the runner's library; a negative number tells a run from the one before."""
    text = re.sub(r'%\S+ = tileaa.print "%d"\((%\S+) : i32\)', r"func.call @show(\1) : (i32) -> ()", tileaa).replace(
        "attributes {tileaa.kernel}", ""
    )
    main = """
      func.func private @printI64(i64)
      func.func private @printNewline()
      func.func @show(%x: i32) {
        %y = arith.extsi %x : i32 to i64
        func.call @printI64(%y) : (i64) -> ()
        func.call @printNewline() : () -> ()
        return
      }
      func.func @main() {
        %separator = arith.constant -1 : i32
    """
    for kernel in range(number):
        for run, (first, second) in enumerate(ARGUMENTS):
            name = f"{kernel}_{run}"
            main += f"%a{name} = arith.constant {first} : i32\n%b{name} = arith.constant {second} : i32\n"
            main += "func.call @show(%separator) : (i32) -> ()\n"
            main += f"func.call @k{kernel}(%a{name}, %b{name}) : (i32, i32) -> ()\n"
    return text.rstrip().removesuffix("}") + main + "return\n}\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--dir", type=pathlib.Path, required=True, help="where the modules are left")
    options = parser.parse_args()
    options.dir.mkdir(parents=True, exist_ok=True)
    rng = random.Random(options.seed)
    blocks = [Generator(rng).block(["%a", "%b", "%c0", "%c1"], None, 0, "entry") for _ in range(options.programs)]

    def run(arguments, text):
        try:
            done = subprocess.run(arguments, input=text, capture_output=True, text=True, check=False, timeout=30)
        except subprocess.TimeoutExpired:
            sys.exit(f"{arguments[0]} did not end on the programs of seed {options.seed}")
        if done.returncode:
            sys.exit(f"{arguments[0]} failed on the programs of seed {options.seed}:\n{done.stderr[:4000]}")
        return done.stdout

    source = write_module(blocks)
    (options.dir / "programs.mlir").write_text(source)
    tileaa = run(["tilewright-opt", "--cuda-tile-to-tileaa", "--verify-tileaa"], source)
    (options.dir / "tileaa.mlir").write_text(tileaa)
    llvm = run(["mlir-opt", *LOWER], make_executable(tileaa, len(blocks)))
    libraries = pathlib.Path(shutil.which("mlir-runner")).resolve().parent.parent / "lib"
    library = f"--shared-libs={libraries}/libmlir_c_runner_utils.so"
    printed = run(["mlir-runner", "-e", "main", "--entry-point-result=void", library], llvm).split()

    found = []
    for number in map(int, printed):
        if number < 0:
            found.append([])
        else:
            found[-1].append(number)
    for run_number, events in enumerate(found):
        kernel, arguments = divmod(run_number, len(ARGUMENTS))
        expected = expected_events(blocks[kernel], *ARGUMENTS[arguments])
        if len(expected) <= MAX_EVENTS and events != expected:
            sys.exit(f"@k{kernel}{ARGUMENTS[arguments]} of seed {options.seed} printed {events}, expected {expected}")
    if len(found) != len(blocks) * len(ARGUMENTS):
        sys.exit(f"{len(found)} runs ended, expected {len(blocks) * len(ARGUMENTS)}")
    print(f"{len(blocks)} programs, {sum(map(len, found))} events")


if __name__ == "__main__":
    main()
