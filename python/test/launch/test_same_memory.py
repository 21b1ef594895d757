# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One array as several arguments, one of which is written: a block reads its own earlier writes through every
argument. Each program runs compiled, interpreted, in checked mode, and simulated for a GPU, also as a module of
Tile IR."""

import importlib.util
import io

import ml_dtypes
import numpy as np
import pytest
import tilewright as ct
from tilewright._runtime.dispatch import make_launcher
from tilewright.compilation import CallingConvention, KernelSignature, export_kernel

TARGETS = {
    "cpu": {},
    "interpreter": {"TILEWRIGHT_INTERPRET": "1"},
    "checked": {"TILEWRIGHT_CHECK": "1"},
    "sm_80": {"TILEWRIGHT_TARGET": "tileas:sm_80"},
    "sm_90a": {"TILEWRIGHT_TARGET": "tileas:sm_90a"},
}


# Checked mode reports what the tokens of a module do not order.
MODULES = [f"module, {target}" for target in TARGETS if target != "checked"]


@pytest.fixture(params=[*TARGETS, *MODULES])
def run(request, monkeypatch):
    *as_module, target = request.param.split(", ")
    for name, value in TARGETS[target].items():
        monkeypatch.setenv(name, value)

    def launch(kernel, grid, *args):
        if not as_module:
            ct.launch(None, grid, kernel.replace_hints(), args)  # compiled again for the target
        elif any(isinstance(arg, (list, tuple)) for arg in args):
            pytest.skip("modules take arrays one by one")
        else:
            load(kernel, *args)[grid](*entry_arguments(*args))

    return launch


def load(kernel, *args):
    """The kernel as a module, for such arrays if they are distinct."""
    file = io.BytesIO()
    signature = KernelSignature.from_kernel_args(
        kernel, args, CallingConvention.cutile_python_v1(), symbol=kernel.__name__
    )
    export_kernel(kernel, [signature], file, output_format="tileir_bytecode")
    return ct.load_module(file.getvalue())[kernel.__name__]


def entry_arguments(*args):
    for arg in args:
        if isinstance(arg, np.ndarray):  # the others are constants
            yield from (arg, *arg.shape, *(stride // arg.itemsize for stride in arg.strides))


def numbers(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@ct.kernel
def read_again(x, dx, out, n: ct.Constant[int]):
    i = ct.bid(0)
    before = ct.load(x, (i,), (n,))
    ct.store(dx, (i,), before + 1)
    after = ct.load(x, (i,), (n,))
    ct.store(out, (i,), before * 100 + after)


def test_a_load_sees_the_store_before_it(run):
    x, out = numbers(60), np.empty(60, np.float32)
    expected = x * np.float32(100) + (x + 1)
    run(read_again, 4, x, x, out, 16)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@ct.kernel
def normalize(x, dx, width: ct.Constant[int]):
    row = ct.load(x, (ct.bid(0), 0), (1, width), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(row - ct.max(row, 1, keepdims=True))
    ct.store(dx, (ct.bid(0), 0), e / ct.sum(e, 1, keepdims=True))


@pytest.mark.parametrize("width", [64, 50])
def test_a_row_that_is_read_several_times(run, width):
    x = numbers(8, width)
    e = np.exp(x - x.max(1, keepdims=True))
    run(normalize, 8, x, x, 64)
    np.testing.assert_allclose(x, e / e.sum(1, keepdims=True), rtol=1e-5)


@ct.kernel
def turn(x, dx):
    ct.store(dx, (0, 0), ct.transpose(ct.load(x, (0, 0), (16, 16))))


def test_a_tile_that_is_written_elsewhere_than_read(run):
    x = numbers(16, 16)
    expected = x.T.copy()
    run(turn, 1, x, x)
    np.testing.assert_array_equal(x, expected)


@ct.kernel
def shift(x, dx):
    for i in range(ct.num_tiles(x, 0, (16,)) - 1):
        ct.store(dx, (i + 1,), ct.load(x, (i,), (16,)) + 1)


def test_an_iteration_reads_what_the_last_one_wrote(run):
    x = np.zeros(128, np.float32)
    run(shift, 1, x, x)
    np.testing.assert_array_equal(x, np.repeat(np.arange(8), 16))


@ct.kernel
def multiply(a, b, c, k: ct.Constant[int]):
    total = ct.zeros((16, 16), ct.float32)
    for i in range(k):
        total = ct.mma(ct.load(a, (0, i), (16, 16)), ct.load(b, (i, 0), (16, 16)), total)
        ct.store(c, (0, i), ct.astype(total, c.dtype))


def test_operands_of_a_product_that_its_loop_writes(run):
    a, b = numbers(16, 64).astype(np.float16), numbers(64, 16).astype(np.float16)
    expected, total = a.copy(), np.zeros((16, 16), np.float32)
    for i in range(4):
        part = slice(16 * i, 16 * i + 16)
        total += expected[:, part].astype(np.float32) @ b[part].astype(np.float32)
        expected[:, part] = total
    run(multiply, 1, a, b, a, 4)
    np.testing.assert_allclose(a.astype(np.float32), expected.astype(np.float32), rtol=2e-2, atol=2e-2)


@ct.kernel
def multiply_rows(a, b, c, k: ct.Constant[int]):
    for row in range(ct.num_tiles(a, 0, (16, 16)) - 1):
        total = ct.zeros((16, 16), ct.float32)
        for i in range(k):
            total = ct.mma(ct.load(a, (row, i), (16, 16)), ct.load(b, (i, 0), (16, 16)), total)
        ct.store(c, (row, 0), ct.astype(total, c.dtype))
        ct.store(c, (row + 1, 0), ct.astype(total, c.dtype))


def test_products_of_rows_that_the_last_product_wrote(run):
    a, b = numbers(64, 64).astype(np.float16), (numbers(64, 16) / 8).astype(np.float16)
    expected = a.copy()
    for row in range(0, 48, 16):
        total = expected[row : row + 16].astype(np.float32) @ b.astype(np.float32)
        expected[row : row + 16, :16] = total
        expected[row + 16 : row + 32, :16] = total
    run(multiply_rows, 1, a, b, a, 4)
    np.testing.assert_allclose(a.astype(np.float32), expected.astype(np.float32), rtol=2e-2, atol=2e-2)


@ct.kernel
def rotate(q, out):
    row, half = ct.bid(0), ct.arange(8, dtype=ct.int32)
    first, second = ct.gather(q, (row, half)), ct.gather(q, (row, half + 8))
    ct.scatter(out, (row, half), first - second)
    ct.scatter(out, (row, half + 8), ct.gather(q, (row, half)) + second)


def test_gathers_and_scatters(run):
    q = numbers(4, 16)
    first, second = q[:, :8].copy(), q[:, 8:].copy()
    run(rotate, 4, q, q)
    np.testing.assert_array_equal(q, np.concatenate([first - second, (first - second) + second], 1))


def test_other_names_of_the_same_bytes(run):
    x = numbers(64)
    before = x.copy()
    run(read_again, 4, x[:], x.reshape(64)[:64], np.empty(64, np.float32), 16)
    np.testing.assert_array_equal(x, before + 1)
    flat = numbers(4, 16)
    before = flat.ravel() + 1
    run(flatten, 1, flat, flat.ravel())
    np.testing.assert_array_equal(flat.ravel(), before)
    column = numbers(16, 2)
    before = column.copy()
    run(read_again, 1, column[:, 0], column[:, 0], np.empty(16, np.float32), 16)
    np.testing.assert_array_equal(column[:, 0], before[:, 0] + 1)
    np.testing.assert_array_equal(column[:, 1], before[:, 1])


@ct.kernel
def flatten(x, dx):
    ct.store(dx, (0,), ct.reshape(ct.load(x, (0, 0), (4, 16)), (64,)) + 1)


@ct.kernel
def flip_sign(x, bits):
    ct.store(bits, (0,), ct.load(bits, (0,), (16,)) ^ -(2**31))
    ct.store(x, (0,), ct.load(x, (0,), (16,)) * 2)


def test_another_dtype_of_the_same_size(run):
    x = numbers(16)
    expected = x * -2
    run(flip_sign, 1, x, x.view(np.int32))
    np.testing.assert_array_equal(x, expected)


@ct.kernel
def three(x, y, z, n: ct.Constant[int]):
    ct.store(x, (0,), ct.load(y, (0,), (n,)) + 1)
    ct.store(z, (0,), ct.load(x, (0,), (n,)) * 2)
    ct.store(y, (0,), ct.load(z, (0,), (n,)) - 3)


def test_three_names(run):
    x = numbers(16)
    expected = (x + 1) * 2 - 3
    run(three, 1, x, x, x, 16)
    np.testing.assert_allclose(x, expected, rtol=1e-6)
    y, z = numbers(16), np.empty(16, np.float32)
    expected = (y + 1) * 2
    run(three, 1, y, y, z, 16)
    np.testing.assert_allclose(z, expected, rtol=1e-6)


@ct.kernel
def in_a_tuple(pair, out):
    ct.store(out, (0,), ct.load(pair[0], (0,), (16,)) + 1)
    ct.store(pair[1], (0,), ct.load(pair[0], (0,), (16,)) * 2)


def test_members_of_tuples(run):
    x = numbers(16)
    expected = (x + 1) * 2
    run(in_a_tuple, 1, (x, x), x)
    np.testing.assert_allclose(x, expected, rtol=1e-6)


@ct.kernel
def add_lists(xs, ys, out):
    for i in range(len(xs)):
        ct.store(ys[i], (0,), ct.load(xs[i], (0,), (16,)) + 1)
        ct.store(out, (i,), ct.load(xs[i], (0,), (16,)))


def test_lists_that_hold_the_same_arrays(run):
    xs, out = [numbers(16) for _ in range(3)], np.empty(48, np.float32)
    expected = xs[0] + 1
    run(add_lists, 1, xs, xs, out)
    np.testing.assert_array_equal(out.reshape(3, 16), [expected] * 3)
    same = numbers(16)
    expected = [same + 1, same + 1 + 1, same + 1 + 1 + 1]
    run(add_lists, 1, [same] * 3, [same] * 3, out)
    np.testing.assert_array_equal(out.reshape(3, 16), expected)


@ct.kernel
def from_a_list(xs, x, out):
    ct.store(x, (0,), ct.load(xs[0], (0,), (16,)) + 1)
    ct.store(out, (0,), ct.load(xs[0], (0,), (16,)))


def test_an_array_that_is_also_in_a_list(run):
    x, out = numbers(16), np.empty(16, np.float32)
    expected = x + 1
    run(from_a_list, 1, [x, numbers(16)], x, out)
    np.testing.assert_array_equal(out, expected)


def test_small_elements(run):
    x = numbers(16).astype(ml_dtypes.bfloat16)
    expected = (x.astype(np.float32) + 1).astype(x.dtype)
    run(read_again, 1, x, x, np.empty(16, x.dtype), 16)
    np.testing.assert_array_equal(x, expected)


class Random:
    """A kernel of three names, and what it does when each statement is done before the next begins."""

    def __init__(self, seed):
        self.draw = np.random.default_rng(seed)
        self.lines, self.steps, self.tiles = [], [], 0
        for _ in range(12):
            self.draw.choice([self.load, self.load, self.gather, self.compute, self.store, self.scatter, self.loop])()

    def name(self):
        return str(self.draw.choice(["x", "y", "z"]))

    def add(self, line, step):
        self.lines.append(line)
        self.steps.append(step)

    def new(self, line, step):
        tile, self.tiles = self.tiles, self.tiles + 1
        self.add(f"t{tile} = {line}", lambda arrays, tiles: tiles.append(step(arrays, tiles)))

    def load(self):
        name, k = self.name(), int(self.draw.integers(4))
        self.new(f"ct.load({name}, ({k},), (16,))", lambda arrays, _: arrays[name][16 * k :][:16].copy())

    def gather(self):
        name, k = self.name(), int(self.draw.integers(48))
        self.new(f"ct.gather({name}, ct.arange(16, dtype=ct.int32) + {k})", lambda a, _: a[name][k:][:16].copy())

    def compute(self):
        if self.tiles:
            i, j = (int(self.draw.integers(self.tiles)) for _ in range(2))
            self.new(f"t{i} * 0.5 + t{j}", lambda _, tiles: tiles[i] * np.float32(0.5) + tiles[j])

    def put(self, line, name, start):
        if self.tiles:
            i = int(self.draw.integers(self.tiles))

            def step(arrays, tiles):
                arrays[name][start:][:16] = tiles[i]

            self.add(line.format(tile=f"t{i}"), step)

    def store(self):
        name, k = self.name(), int(self.draw.integers(4))
        self.put(f"ct.store({name}, ({k},), {{tile}})", name, 16 * k)

    def scatter(self):
        name, k = self.name(), int(self.draw.integers(48))
        self.put(f"ct.scatter({name}, ct.arange(16, dtype=ct.int32) + {k}, {{tile}})", name, k)

    def loop(self):
        to, source = self.name(), self.name()
        self.lines.append("for i in range(3):")

        def step(arrays, _):
            for i in range(3):
                arrays[to][16 * (i + 1) :][:16] = arrays[source][16 * i :][:16] * np.float32(0.5) + 1

        self.add(f"    ct.store({to}, (i + 1,), ct.load({source}, (i,), (16,)) * 0.5 + 1)", step)

    def kernel(self, tmp_path, seed):
        file = tmp_path / f"random_program_{seed}.py"
        body = "\n    ".join(self.lines)
        file.write_text(f"import tilewright as ct\n\n\n@ct.kernel\ndef program(x, y, z):\n    {body}\n")
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.program

    def check(self, launch):
        """Compares what `launch` makes of three arrays, some of them the same, with the program one step after the
        other."""
        for same in ("xxx", "xyx", "xyy", "xxz", "xyz"):
            start = {name: numbers(64) * (ord(name) - ord("w")) for name in "xyz"}
            expected = {name: array.copy() for name, array in start.items()}
            tiles = []
            for step in self.steps:
                step({name: expected[of] for name, of in zip("xyz", same, strict=True)}, tiles)
            launch(*(start[of] for of in same))
            for name in "xyz":
                np.testing.assert_allclose(
                    start[name], expected[name], rtol=1e-5, atol=1e-6, err_msg="\n".join([same, *self.lines])
                )


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(run, tmp_path, seed):
    program = Random(seed)
    kernel = program.kernel(tmp_path, seed)
    program.check(lambda *arrays: run(kernel, 1, *arrays))


def test_a_module_is_compiled_once_for_each_pattern(monkeypatch):
    x, y, z = (numbers(16) for _ in range(3))
    kernel = load(three, x, y, z, 16)
    compiled = []
    monkeypatch.setattr(
        ct.tile_module.ModuleKernel,
        "_compile",
        lambda self, *key, compile=ct.tile_module.ModuleKernel._compile: compiled.append(key) or compile(self, *key),
    )
    reader = load(add, x, y, z, 16)
    for arrays in [(x, y, z), (x, y, x), (x, y, y), (x, y, x)]:
        kernel[1](*entry_arguments(*arrays))
    assert [first for _, _, first in compiled] == [(), (0, 1, 2, 3, 4, 5, 0, 7, 8), (0, 1, 2, 3, 4, 5, 3, 7, 8)]
    compiled.clear()
    for arrays in [(x, y, z), (x, x, z)]:  # two names of what is only read change nothing
        reader[1](*entry_arguments(*arrays))
    assert [first for _, _, first in compiled] == [()]


def test_checked_mode_reports_what_the_tokens_of_a_module_do_not_order(monkeypatch):
    monkeypatch.setenv("TILEWRIGHT_CHECK", "1")
    x, out = numbers(16), np.empty(16, np.float32)
    kernel = load(read_again, x, x.copy(), out, 16)
    with pytest.raises(ct.TileCheckError, match=r"data race: .* no token orders one after the other"):
        kernel[1](*entry_arguments(x, x, out))


REFUSED = {
    "x[:40], x[20:]": "argument 'dx' shares memory with argument 'x', but the kernel writes it (they meet between"
    " bytes 0 and 80 of its 160); pass a copy, or the same array for both: equal address, shape and strides",
    "x[:40], x[:20]": "the kernel writes it (they meet between bytes 0 and 80 of its 80)",
    "x[:40:2], x[:20]": "the kernel writes it (they meet between bytes 0 and 80 of its 80)",
    "x[:16], x.view('f8')[:9]": "argument 'dx' shares memory with argument 'x'",
}


@pytest.mark.parametrize("arrays", REFUSED)
def test_arrays_that_overlap_in_part(arrays):
    first, second = eval(arrays, {"x": numbers(60)})
    with pytest.raises(ValueError) as caught:
        read_again[1](first, second, np.empty(16, np.float32), 16)
    assert REFUSED[arrays] in str(caught.value)


def test_what_is_only_read_may_overlap():
    x, out = numbers(64), np.empty(32, np.float32)
    add[2](x[:32], x[:32], out, 16)
    np.testing.assert_array_equal(out, x[:32] * 2)
    add[2](x[:32], x[16:48], out, 16)
    np.testing.assert_array_equal(out, x[:32] + x[16:48])


@ct.kernel
def add(x, y, out, n: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i,), (n,)) + ct.load(y, (i,), (n,)))


def test_one_of_the_names_is_read_only():
    x = numbers(32)
    fixed = x[:]
    fixed.flags.writeable = False
    expected = x + 1
    add[2](fixed, np.ones(32, np.float32), x, 16)
    np.testing.assert_array_equal(x, expected)
    with pytest.raises(ValueError, match="argument 'x' is read-only, but the kernel writes it"):
        add[2](fixed, fixed, fixed, 16)


def test_each_pattern_is_compiled_once():
    x, y, z = (numbers(32) for _ in range(3))
    kernel = add.replace_hints()
    patterns = [(x, y, z), (x, y, x), (x, y, y), (x, x, z), (x, x, x)]
    for _ in range(2):
        for arrays in patterns:
            ct.launch(None, 2, kernel, (*arrays, 16))
    assert kernel._launcher.num_specializations == len(patterns)
    for arrays in patterns:
        a, b, _ = arrays
        expected = a + b
        ct.launch(None, 2, kernel, (*arrays, 16))
        np.testing.assert_array_equal(arrays[2], expected)


def test_empty_arrays_are_no_memory():
    empty = np.empty(0, np.float32)
    add[1](empty, empty, empty, 16)


def test_a_signature_is_of_disjoint_arrays():
    x = numbers(64)
    assert make_launcher(read_again).specs((x, x, x, 16))[1].same_as is None
