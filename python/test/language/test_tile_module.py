# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of Tile IR from bytes and files, launched by name."""

import io

import numpy as np
import pytest
import tilewright as ct
from tilewright.compilation import CallingConvention, KernelSignature, export_kernel

ENTRY = """entry @scale(%a: tile<ptr<f32>>, %n: tile<i32>, %f: tile<f32>, %out: tile<ptr<f32>>) {
  %token = make_token : token
  %length = assume bounded<0, 1000>, %n : tile<i32>
  %aligned = assume div_by<16>, %out : tile<ptr<f32>>
  %va = make_tensor_view %a, shape = [%length], strides = [1] : tile<i32> -> $tensor
  %vo = make_tensor_view %aligned, shape = [%length], strides = [1] : tile<i32> -> $tensor
  %x, %y, %z = get_tile_block_id : tile<i32>
  %pa = make_partition_view %va : $view
  %po = make_partition_view %vo : $view
  %tile, %read = load_view_tko weak %pa[%x] token = %token : $view, tile<i32> -> tile<16xf32>, token
  %row = reshape %f : tile<f32> -> tile<1xf32>
  %factor = broadcast %row : tile<1xf32> -> tile<16xf32>
  %result = mulf %tile, %factor : tile<16xf32>
  %done = store_view_tko weak %result, %po[%x] token = %token : tile<16xf32>, $view, tile<i32> -> token
  return
}
""".replace("$view", "partition_view<tile=(16), $tensor>").replace("$tensor", "tensor_view<?xf32, strides=[1]>")


def aligned(count, dtype=np.float32):
    memory = np.zeros(count + 16, dtype)
    start = -memory.ctypes.data % 16 // memory.itemsize
    return memory[start : start + count]


@pytest.fixture(params=["text", "bytecode", "file"])
def module(request, tmp_path):
    if request.param == "text":
        return ct.load_module(ENTRY.encode())
    if request.param == "bytecode":
        return ct.load_module(ct.assemble(ENTRY))
    path = tmp_path / "scale.anything"
    path.write_bytes(ct.assemble(ENTRY, bytecode_version="13.2"))
    return ct.load_module(path)


def test_kernels_by_name(module):
    assert list(module) == ["scale"] and len(module) == 1 and "scale" in module
    assert module.scale is module["scale"] and "scale" in dir(module)
    assert repr(module.scale) == "<kernel scale(%arg0: ptr<f32>, %arg1: i32, %arg2: f32, %arg3: ptr<f32>)>"
    written = [parameter.written for parameter in module.scale.parameters]
    assert written == [False, False, False, True]
    with pytest.raises(KeyError, match=r"has no kernel 'other', expected one of scale"):
        module["other"]
    with pytest.raises(AttributeError, match=r"has no kernel 'other', found scale"):
        _ = module.other


def test_launches(module):
    a, out = np.arange(40, dtype=np.float32), aligned(40)
    module.scale[3](a, 40, 2.5, out)
    np.testing.assert_array_equal(out, a * np.float32(2.5))
    ct.launch(None, (3, 1, 1), module["scale"], (a, 40, np.float32(3), out))
    np.testing.assert_array_equal(out, a * np.float32(3))
    # The entry says nothing about layouts: strides of the array are not looked at.
    module.scale[1](a.reshape(5, 8), 8, 2, out)
    np.testing.assert_array_equal(out[:8], a[:8] * 2)


def test_arguments_are_checked():
    scale = ct.load_module(ENTRY.encode()).scale
    a, out = np.zeros(40, np.float32), aligned(44)

    def fails(error, message, *arguments):
        with pytest.raises(error) as caught:
            scale[3](*arguments)
        assert message in str(caught.value)

    granted = ", which the module assumes"
    fails(ValueError, "scale: argument '%arg1' is 1001, expected at most 1000" + granted, a, 1001, 1.0, out)
    fails(ValueError, "scale: argument '%arg1' is -1, expected at least 0" + granted, a, -1, 1.0, out)
    fails(ValueError, ", expected a multiple of 16" + granted, a, 40, 1.0, out[1:])
    fails(TypeError, "'%arg0' is an array of float64, expected an array of float32", a.astype("d"), 40, 1.0, out)
    fails(TypeError, "'%arg0' is a number, expected an array of float32", 1, 40, 1.0, out)
    fails(TypeError, "'%arg2' is an array of float32, expected a number", a, 40, a, out)
    fails(TypeError, "argument '%arg1' is a float, expected int32", a, 4.5, 1.0, out)
    fails(OverflowError, "argument '%arg1' is 4294967296, which does not fit int32", a, 1 << 32, 1.0, out)
    fails(TypeError, "3 arguments, expected 4 (%arg0, %arg1, %arg2, %arg3)", a, 40, 1.0)
    fails(ValueError, "'%arg3' shares memory with argument '%arg0', but the kernel writes it", out[4:], 40, 1.0, out)
    out.flags.writeable = False
    fails(ValueError, "'%arg3' is read-only, but the kernel writes it", a, 40, 1.0, out)
    with pytest.raises(ValueError, match="grid extent 0 on axis 0"):
        scale[0](a, 40, 1.0, aligned(40))
    with pytest.raises(TypeError, match="scale is a kernel: start it with launch"):
        scale(a, 40, 1.0, out)


def test_one_array_for_two_parameters(module):
    x = aligned(40)
    x[:] = np.arange(40)
    module.scale[3](x, 40, 2.5, x)
    np.testing.assert_array_equal(x, np.arange(40, dtype=np.float32) * np.float32(2.5))


def test_only_the_kernel_that_runs_is_compiled():
    unsupported = """entry @foreign(%x: tile<i32>) {
  %y = preview$call "scan"(%x) {const_args = []} : (tile<i32>) -> (tile<i32>)
  return
}
"""
    module = ct.load_module((ENTRY + unsupported).encode())
    a, out = np.ones(16, np.float32), aligned(16)
    module.scale[1](a, 16, 2.0, out)
    assert out[0] == 2


def test_text_and_bytecode_of_a_module(module):
    assert "entry @scale(%arg0: tile<ptr<f32>>" in module.text()
    assert module.bytecode()[:10] == b"\x7fTileIR\0\x0d\x04"
    assert module.bytecode("13.1")[9] == 1
    assert ct.disassemble(module.bytecode()) == ct.disassemble(ct.assemble(ENTRY))
    with pytest.raises(ValueError, match=r"unknown bytecode version '1', expected one of 13\.1"):
        module.bytecode("1")


def test_what_is_no_module():
    for content, message in {
        b"": "<bytes>: error: found no Tile IR module",
        b"entry @k() { oops }": "<bytes>:1:14: error: custom op 'oops' is unknown",
        b"\x7fTileIR\0": "<bytes>: error: byte 0x",
        b"\x7fTileIR\0\x0d\x63\0\0\0": "13.99",
        ct.assemble(ENTRY)[:100]: "<bytes>: error: byte 0x",
    }.items():
        with pytest.raises(ValueError) as error:
            ct.load_module(content)
        assert message in str(error.value)
    with pytest.raises(ValueError, match=r"<text>:1:14: error: custom op 'oops' is unknown"):
        ct.assemble("entry @k() { oops }")
    with pytest.raises(FileNotFoundError):
        ct.load_module("/there/is/no/such.tilebc")


# ---- modules of front ends


def test_kernels_of_our_front_end_give_what_a_launch_gives():
    @ct.kernel
    def softmax(x, out, N: ct.Constant[int]):
        row = ct.load(x, (ct.bid(0), 0), (1, N), padding_mode=ct.PaddingMode.NEG_INF)
        row = ct.exp(row - ct.max(row, 1, keepdims=True))
        ct.store(out, (ct.bid(0), 0), row / ct.sum(row, 1, keepdims=True))

    x = np.random.default_rng(0).standard_normal((5, 50)).astype(np.float32)
    direct, loaded = np.zeros_like(x), np.zeros_like(x)
    ct.launch(None, (5,), softmax, (x, direct, 64))
    file = io.BytesIO()
    # Signatures by hand rely on nothing but the layout.
    signature = KernelSignature.from_kernel_args(
        softmax, (x[1:, 1:], loaded[1:, 1:], 64), CallingConvention.cutile_python_v1(), symbol="softmax"
    )
    export_kernel(softmax, [signature], file, output_format="tileir_bytecode")
    kernel = ct.load_module(file.getvalue()).softmax
    kernel[5](x, *x.shape, 50, 1, loaded, *x.shape, 50, 1)
    np.testing.assert_array_equal(loaded, direct)
