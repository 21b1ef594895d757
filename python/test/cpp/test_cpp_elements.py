# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of operations on bits, orders and layouts in CUDA Tile C++, against NumPy."""

import numpy as np
import pytest
import test_cpp_kernels

compile_cpp = test_cpp_kernels.compile_cpp
pytestmark = test_cpp_kernels.pytestmark


@pytest.fixture
def run(compile_cpp):
    """Compiles a kernel `k` whose parameters are those, and runs one block of it."""

    def run_body(parameters, body, *arguments):
        text = f'extern "C" __tile_global__ void k({parameters}) {{ {body} }}'
        compile_cpp(text)["k"][1](*arguments)

    return run_body


def test_repacks_along_a_dimension(run):
    x = np.arange(8, dtype=np.int32).reshape(4, 2) * 0x10003
    result = np.zeros((8, 2), np.int16)
    run(
        "const int *p, short *r",
        """auto x = ct::load(p + ct::iota<ct::tile<int, ct::shape<4, 2>>>());
        ct::store(r + ct::iota<ct::tile<int, ct::shape<8, 2>>>(), ct::repack<short, 0>(x));""",
        x,
        result,
    )
    halves = x.view(np.int16).reshape(4, 2, 2)
    np.testing.assert_array_equal(result, halves.transpose(0, 2, 1).reshape(8, 2))


def test_numbers_of_four_bits(run):
    values = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
    numbers = np.array([*values, *(-value for value in values)], np.float32)
    bytes_of_two = np.arange(16, dtype=np.uint8) | np.arange(16, dtype=np.uint8)[::-1] << 4
    low, both, back = np.zeros(16, np.float32), np.zeros(32, np.float32), np.zeros(16, np.uint8)
    run(
        "const unsigned char *p, float *low, float *both, unsigned char *back",
        """auto i = ct::iota<ct::tile<int, ct::shape<16>>>();
        auto x = ct::load(p + i);
        ct::store(both + ct::iota<ct::tile<int, ct::shape<32>>>(),
                  ct::element_cast<float>(ct::repack<__nv_fp4_e2m1, 0>(x)));
        auto y = ct::load((const __nv_fp4_e2m1 *)p + i);
        ct::store(low + i, ct::element_cast<float>(y));
        ct::store((__nv_fp4_e2m1 *)back + i, y);""",
        *(bytes_of_two, low, both, back),
    )
    np.testing.assert_array_equal(low, numbers)
    np.testing.assert_array_equal(both, np.stack([numbers, numbers[::-1]], axis=1).ravel())
    np.testing.assert_array_equal(back, np.arange(16))


def test_special_numbers_and_tiles_of_constants(run):
    x = np.array([1, np.inf, -np.inf, np.nan], np.float32)
    result = np.zeros((2, 4), np.int32)
    run(
        "const float *p, int *r",
        """auto i = ct::iota<ct::tile<int, ct::shape<4>>>();
        auto x = ct::load(p + i);
        ct::tile weights({1, 10, 100, 1000});
        ct::store(r + i, ct::select(ct::isinf(x), weights, -weights));
        ct::store(r + 4 + i, ct::select(ct::isnan(ct::element_cast<__nv_tf32>(x)), weights, -weights));""",
        *(x, result),
    )
    np.testing.assert_array_equal(result, [[-1, 10, 100, -1000], [-1, -10, -100, 1000]])


def test_views_of_padded_rows_and_changes_in_them(run):
    rows = np.arange(3 * 16, dtype=np.float32).reshape(3, 16)
    expected = rows.copy()
    expected[:, 8:10] += 0.5  # the second tile, of which two columns are inside
    run(
        "float *p, int n",
        """ct::layout_right_padded<16>::mapping layout{ct::extents{n, 10_ic}, 16_ic};
        ct::partition_view view{ct::tensor_span{p, layout}, ct::shape<4, 8>{}};
        auto halves = ct::full<ct::tile<float, ct::shape<4, 8>>>(0.5f);
        view.atomic_add_masked(halves, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}, 0, 1);""",
        *(rows, 3),
    )
    np.testing.assert_array_equal(rows, expected)


def test_masked_accesses_with_an_order(run):
    x, result = np.arange(8, dtype=np.int32), np.full(8, -1, np.int32)
    run(
        "int *p, int *r",
        """auto i = ct::iota<ct::tile<int, ct::shape<8>>>();
        auto x = ct::atomic_load_masked(p + i, i < 5, 70, ct::memory_order_acquire_t{});
        ct::atomic_store_masked<ct::memory_order::release>(r + i, x, i > 1);""",
        *(x, result),
    )
    np.testing.assert_array_equal(result, [-1, -1, 2, 3, 4, 70, 70, 70])
