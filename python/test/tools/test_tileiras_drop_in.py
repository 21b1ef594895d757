# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our `tileiras` in the place of NVIDIA's, as far as it writes cubins: needs an assembler of NVIDIA's, no GPU."""

import os
import subprocess
import sys
from pathlib import Path

import nvidia_tools
import pytest
from tilewright import _native

ROOT = Path(__file__).resolve().parents[3]
TILEIRAS = ROOT / "build/bin/tileiras"
EMPTY = _native.assemble(b"cuda_tile.module @empty {}", "empty", "")


def run(*words, **variables):
    return subprocess.run(
        [TILEIRAS, *words], capture_output=True, text=True, env={**os.environ, **variables}, check=False
    )


@pytest.fixture(scope="module")
def assembler():
    """The variables that have the tool find what this environment has."""
    found = _native.find_assemblers(sys.path)
    if not found:
        pytest.skip("no assembler of PTX found: pip install nvidia-nvjitlink, or TILEWRIGHT_ASSEMBLER")
    return {"TILEWRIGHT_ASSEMBLER": found[0]}


@pytest.fixture
def empty(tmp_path):
    file = tmp_path / "module.of_any_suffix"
    file.write_bytes(EMPTY)
    return file


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_an_empty_module_assembles(assembler, empty, architecture, tmp_path):
    """Which is how callers find out about the versions of bytecode that the tool reads."""
    made = run(empty, "-o", tmp_path / "empty.cubin", "--gpu-name", architecture, "-O3", "--lineinfo", **assembler)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert (tmp_path / "empty.cubin").read_bytes()[:4] == b"\x7fELF"


def test_the_output_is_elf_o_where_none_is_named(assembler, empty, tmp_path):
    made = subprocess.run([TILEIRAS, empty, "--arch=sm_90"], cwd=tmp_path, env={**os.environ, **assembler}, check=True)
    assert made.returncode == 0
    assert (tmp_path / "elf.o").read_bytes()[:4] == b"\x7fELF"


@pytest.mark.parametrize(
    "options",
    [["--host-arch=aarch64", "--host-os=linux"], ["--host-os=windows"], ["-g", "-O0"], ["--preview=simt"]],
    ids=" ".join,
)
def test_options_of_the_reference_are_taken(assembler, empty, options, tmp_path):
    made = run(empty, "-o", tmp_path / "a.cubin", "--gpu-name=sm_90", *options, **assembler)
    assert made.returncode == 0, made.stderr


# How NVIDIA's front ends call the tool: `cuda-tile` of versions 1.0 to 1.7, on toolkits 13.1 to 13.5.
FRONT_END_CALLS = {
    "probe for a version": ["--gpu-name", "sm_120"],
    "plain": ["--gpu-name", "sm_90", "-O3", "--lineinfo"],
    "opt_level=0": ["--gpu-name", "sm_90", "-O0", "--lineinfo"],
    "opt_level=1": ["--gpu-name", "sm_90", "-O1", "--lineinfo"],
    "opt_level=2": ["--gpu-name", "sm_90", "-O2", "--lineinfo"],
    "debug build": ["--gpu-name", "sm_90", "-O0", "--device-debug"],
    "remarks for the cache": [
        *("--gpu-name", "sm_90", "-O3", "--lineinfo"),
        *("--remark-format=yaml", "--remarks=all", "--remarks-output-file=REMARKS"),
    ],
    "preview features": ["--gpu-name", "sm_90", "-O3", "--preview=simt", "--lineinfo"],
}


@pytest.mark.parametrize("options", FRONT_END_CALLS.values(), ids=FRONT_END_CALLS)
def test_front_ends_calls(assembler, copy, options, tmp_path):
    """The file comes first. Nothing is written but the files that are named, and what is asked for acts."""
    cubin, remarks = tmp_path / "copy.cubin", tmp_path / "copy.remarks.yaml"
    options = [option.replace("REMARKS", os.fspath(remarks)) for option in options]
    folder = tmp_path / "empty"
    folder.mkdir()
    made = subprocess.run(
        [TILEIRAS, copy, "-o", cubin, *options],
        capture_output=True,
        text=True,
        env={**os.environ, **assembler},
        cwd=folder,
    )
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    code = cubin.read_bytes()
    assert code[:4] == b"\x7fELF" and not list(folder.iterdir())
    assert (b".debug_line" in code) == ("--lineinfo" in options or "--device-debug" in options)
    assert (b".debug_info" in code) == ("--device-debug" in options)
    assert remarks.exists() == (len(options) > 5)


@pytest.mark.parametrize("libraries", [[], ["-l", "mine.tilelib"], ["-l", "a.tilelib", "-l", "b.tilelib"]], ids=len)
def test_libraries_are_refused_by_name(assembler, empty, libraries, tmp_path):
    """Names that front ends link: never dropped without a word."""
    options = ["--gpu-name", "sm_90", "-O3", "--preview=simt", *libraries, "--lineinfo"]
    made = run(empty, "-o", tmp_path / "a.cubin", *options, **assembler)
    assert made.returncode == (5 if libraries else 0)
    assert made.stderr == (f"error: tile libraries are not supported, found '-l {libraries[1]}'\n" if libraries else "")


LARGE = """cuda_tile.module @m {
  entry @k(%n: tile<i32>) {
    %p = alloca num_elem = 1000000000, alignment = 64 : tile<ptr<f32>>
    %t = store_ptr_tko weak %p, %n : tile<ptr<f32>>, tile<i32> -> token
    return
  }
}""".replace("f32", "i32")


def test_errors_as_front_ends_read_them(assembler, tmp_path):
    """`loc("file":line:column): error: message`, of which they take the place and the message; they show the line."""
    text, source = tmp_path / "k.mlir", tmp_path / "k.tilebc"
    text.write_text(LARGE)
    source.write_bytes(_native.assemble(LARGE.encode(), os.fspath(text), ""))
    made = run(source, "-o", tmp_path / "a.cubin", "--gpu-name=sm_90", **assembler)
    assert made.returncode == 5
    assert made.stderr.startswith(f"loc(\"{text}\":3:10): error: kernel 'k' needs 4000000")
    assert "^" not in made.stderr and "= alloca" not in made.stderr


def test_no_cache_is_used(assembler, empty, tmp_path):
    cache = tmp_path / "cache"
    cache.mkdir()
    made = run(empty, "-o", tmp_path / "a.cubin", "--gpu-name=sm_90", TILEWRIGHT_CACHE_DIR=str(cache), **assembler)
    assert made.returncode == 0
    assert not list(cache.iterdir())


def test_what_cannot_be_written(assembler, empty):
    made = run(empty, "-o", "/nowhere/a.cubin", "--gpu-name=sm_90", **assembler)
    assert (made.returncode, made.stderr) == (2, "error: cannot write '/nowhere/a.cubin': No such file or directory\n")
    made = run(
        empty,
        *("-o", os.devnull, "--gpu-name=sm_90", "--remarks=all", "--remark-format=yaml"),
        "--remarks-output-file=/nowhere/r.yaml",
        **assembler,
    )
    assert made.returncode == 3
    assert "cannot open the remark output file '/nowhere/r.yaml': No such file" in made.stderr


def test_a_missing_assembler_says_so(empty):
    made = run(empty, "-o", os.devnull, "--gpu-name=sm_90", TILEWRIGHT_ASSEMBLER="/nowhere/ptxas")
    assert made.returncode == 5
    assert made.stderr.startswith("error: ptxas /nowhere/ptxas cannot be used: ")


COPY = """cuda_tile.module @m {
  entry @copy(%in: tile<ptr<f32>>, %out: tile<ptr<f32>>) optimization_hints=<default = {num_cta_in_cga = 2}> {
    %token = make_token : token
    %zero = constant <i32: 0> : tile<i32>
    %vi = make_tensor_view %in, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %vo = make_tensor_view %out, shape = [1024], strides = [1] : tensor_view<1024xf32, strides=[1]>
    %pi = make_partition_view %vi : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %po = make_partition_view %vo : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>
    %x, %t = load_view_tko weak %pi[%zero] token = %token
      : partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %done = store_view_tko weak %x, %po[%zero] token = %token
      : tile<1024xf32>, partition_view<tile=(1024), tensor_view<1024xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}"""


@pytest.fixture
def copy(tmp_path):
    file = tmp_path / "copy.tilebc"
    file.write_bytes(_native.assemble(COPY.encode(), "copy.mlir", ""))
    return file


def test_remarks_on_the_terminal(assembler, copy):
    made = run(copy, "-o", os.devnull, "--gpu-name=sm_90", "--remarks=memory", **assembler)
    assert made.returncode == 0, made.stderr
    assert "category: Memory\n    remark[missed]: load of 4 bytes by each thread, 8 times\n" in made.stdout
    assert "Hints" not in made.stdout
    made = run(copy, "-o", os.devnull, "--gpu-name=sm_90", "--remarks=all", "--remarks-missed=none", **assembler)
    assert (made.returncode, made.stdout) == (0, "")
    made = run(copy, "-o", os.devnull, "--gpu-name=sm_90", "--remarks-missed=tensorcore", **assembler)
    assert (made.returncode, made.stdout) == (0, "")


def test_remarks_as_yaml(assembler, copy, tmp_path):
    yaml = tmp_path / "remarks.yaml"
    options = ["--remark-format=yaml", "--remarks=all", f"--remarks-output-file={yaml}"]
    made = run(copy, "-o", os.devnull, "--gpu-name=sm_90", *options, **assembler)
    assert (made.returncode, made.stdout) == (0, "")
    documents = yaml.read_text().split("--- ")[1:]
    assert [document.split()[0] for document in documents] == ["!Missed"] * 3
    assert "Pass:            Hints\n" in documents[0]
    assert "Function:        copy\n" in documents[1] and "Pass:            Memory\n" in documents[1]


@pytest.mark.parametrize(
    ("level", "answer"),
    [
        (0, "followed: neither LLVM nor the assembler optimizes"),
        (2, "not followed: levels 1 to 3 give the same code"),
        (3, "followed: every pass works"),
    ],
)
def test_the_level_of_optimization_is_answered(assembler, copy, level, answer):
    made = run(copy, "-o", os.devnull, "--gpu-name=sm_90", f"-O{level}", "--remarks=all", **assembler)
    assert made.returncode == 0 and made.stdout.count("opt_level") == 1
    assert f"]: opt_level = {level} of the kernel at copy.mlir:2: {answer}\n" in made.stdout


PADDED = """cuda_tile.module @m {{
  entry @product(%in: tile<ptr<bf16>>, %out: tile<ptr<f32>>) {{
    %a = assume div_by<16>, %in : tile<ptr<bf16>>
    %token = make_token : token
    %none = constant <f32: 0.0> : tile<64x64xf32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %four = constant <i32: 4> : tile<i32>
    %v = make_tensor_view %a, shape = [500, 512], strides = [512, 1] : {view}
    %w = make_partition_view %v : {tiles}
    %sum = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<64x64xf32>) {{
      %t, %k = load_view_tko weak %w[%i, %i] token = %token
        : {tiles}, tile<i32> -> tile<64x64xbf16>, token
      %next = mmaf %t, %t, %acc : tile<64x64xbf16>, tile<64x64xbf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }}
    %vo = make_tensor_view %out, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %wo = make_partition_view %vo : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %done = store_view_tko weak %sum, %wo[%zero, %zero] token = %token
      : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }}
}}""".format(
    view="tensor_view<500x512xbf16, strides=[512,1]>",
    tiles="partition_view<tile=(64x64), padding_value = pos_inf, tensor_view<500x512xbf16, strides=[512,1]>>",
)


def test_remarks_are_written_where_they_are_asked_for(assembler, tmp_path):
    """A load that has to be padded, about which the passes have something to say."""
    source, yaml = tmp_path / "product.tilebc", tmp_path / "remarks.yaml"
    source.write_bytes(_native.assemble(PADDED.encode(), "product.mlir", ""))
    made = run(source, "-o", tmp_path / "product.cubin", "--gpu-name=sm_90", "--lineinfo", **assembler)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    options = ["--remark-format=yaml", "--remarks=all", f"--remarks-output-file={yaml}"]
    made = run(source, "-o", tmp_path / "product.cubin", "--gpu-name=sm_90", *options, **assembler)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert "it is padded with pos_inf" in yaml.read_text() and "tileaa." not in yaml.read_text()


def test_lines_and_debug_information(assembler, copy, tmp_path):
    sizes = {}
    for options in ((), ("--lineinfo",), ("-g", "-O0")):
        made = run(copy, "-o", tmp_path / "a.cubin", "--gpu-name=sm_90", *options, **assembler)
        assert made.returncode == 0, made.stderr
        sizes[options] = (tmp_path / "a.cubin").read_bytes()
    assert b".debug_line" not in sizes[()] and b".debug_line" in sizes["--lineinfo",]
    assert b".debug_info" in sizes["-g", "-O0"]


def test_every_pass_is_printed_before_it_runs(assembler, copy):
    made = run(copy, "-o", os.devnull, "--gpu-name=sm_90", "--print-before-all", **assembler)
    assert made.returncode == 0
    assert "IR Dump Before" in made.stderr and "cuda-tile-to-tileaa" in made.stderr
    assert "*** IR Dump Before NVPTX DAG->DAG Pattern Instruction Selection" in made.stderr


def shared_bytes(cubin):
    """Of the sections of shared memory of an ELF file."""
    start, size, count, names = (
        int.from_bytes(cubin[at:end], "little") for at, end in ((40, 48), (58, 60), (60, 62), (62, 64))
    )
    headers = [cubin[start + i * size : start + (i + 1) * size] for i in range(count)]
    number = lambda header, at: int.from_bytes(header[at : at + 8], "little")  # noqa: E731
    texts = cubin[number(headers[names], 24) :]
    named = ((texts[int.from_bytes(header[:4], "little") :].split(b"\0", 1)[0], header) for header in headers)
    return sum(number(header, 32) for name, header in named if name.startswith(b".nv.shared.product"))


def test_shared_memory_is_part_of_the_code(assembler, tmp_path):
    """A launcher that knows nothing of the kernel asks the driver for none, also where it is more than 48 KB."""
    source, cubin = tmp_path / "product.tilebc", tmp_path / "product.cubin"
    view = "tensor_view<512x512xbf16, strides=[512,1]>"
    loads = "\n".join(
        f"""%p{x} = assume div_by<16>, %{x} : tile<ptr<bf16>>
            %v{x} = make_tensor_view %p{x}, shape = [512, 512], strides = [512, 1] : {view}
            %w{x} = make_partition_view %v{x} : partition_view<tile=(128x128), {view}>"""
        for x in "ab"
    )

    def load(x, at):
        return f"""%t{x}, %k{x} = load_view_tko weak %w{x}[{at}] token = %token
          : partition_view<tile=(128x128), {view}>, tile<i32> -> tile<128x128xbf16>, token"""

    text = f"""cuda_tile.module @m {{ entry @product(%a: tile<ptr<bf16>>, %b: tile<ptr<bf16>>, %out: tile<ptr<f32>>) {{
      %token = make_token : token
      %none = constant <f32: 0.0> : tile<128x128xf32>
      %zero = constant <i32: 0> : tile<i32>
      %one = constant <i32: 1> : tile<i32>
      %four = constant <i32: 4> : tile<i32>
      {loads}
      %sum = for %i in (%zero to %four, step %one) : tile<i32> iter_values(%acc = %none) -> (tile<128x128xf32>) {{
        {load("a", "%zero, %i")}
        {load("b", "%i, %zero")}
        %next = mmaf %ta, %tb, %acc : tile<128x128xbf16>, tile<128x128xbf16>, tile<128x128xf32>
        continue %next : tile<128x128xf32>
      }}
      %vo = make_tensor_view %out, shape = [128, 128], strides = [128, 1] : tensor_view<128x128xf32, strides=[128,1]>
      %wo = make_partition_view %vo : partition_view<tile=(128x128), tensor_view<128x128xf32, strides=[128,1]>>
      %done = store_view_tko weak %sum, %wo[%zero, %zero] token = %token
        : tile<128x128xf32>, partition_view<tile=(128x128), tensor_view<128x128xf32, strides=[128,1]>>, tile<i32>
        -> token
      return
    }} }}"""
    source.write_bytes(_native.assemble(text.encode(), "product.mlir", ""))
    made = run(source, "-o", cubin, "--gpu-name=sm_90", **assembler)
    assert made.returncode == 0, made.stderr
    assert shared_bytes(cubin.read_bytes()) > 48 << 10


def test_memcheck_is_the_assemblers(assembler, copy, tmp_path):
    plain, checked = tmp_path / "plain.cubin", tmp_path / "checked.cubin"
    assert run(copy, "-o", plain, "--gpu-name=sm_90", **assembler).returncode == 0
    made = run(copy, "-o", checked, "--gpu-name=sm_90", "--sanitize=memcheck", **assembler)
    if "sanitize" in made.stderr:
        pytest.skip("this assembler has no -sanitize: " + made.stderr)
    assert made.returncode == 0, made.stderr
    assert len(checked.read_bytes()) > len(plain.read_bytes())


SPEAKING = """cuda_tile.module @m {
  entry @speak(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %iota = iota : tile<128xi32>
    %half = itof %iota signed : tile<128xi32> -> tile<128xf16>
    %token = print_tko "tile %d, number %x\\0A", %iota, %n : tile<128xi32>, tile<i32> -> token
    %next = print_tko "%5.1f\\0A", %half token = %token : tile<128xf16> -> token
    %holds = cmpi greater_than %n, %zero, signed : tile<i32> -> tile<i1>
    assert %holds, "n is 0" : tile<i1>
    return
  }
}"""


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100", "sm_120"])
@pytest.mark.parametrize("debug", [("-O3",), ("--lineinfo",), ("-g", "-O0")], ids=" ".join)
def test_prints_and_asserts_speak_by_the_drivers_vprintf(assembler, architecture, debug, tmp_path):
    source, cubin = tmp_path / "speak.tilebc", tmp_path / "speak.cubin"
    source.write_bytes(_native.assemble(SPEAKING.encode(), "speak.mlir", ""))
    made = run(source, "-o", cubin, f"--gpu-name={architecture}", *debug, **assembler)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    code = cubin.read_bytes()
    assert b"\0vprintf\0" in code
    tens = b", ".join([b"%5.1f"] * 32)
    where = b"tile block: [%d, %d, %d], position: []: n is 0\n\0"
    for text in (b"tile [%d, %d", b"], number %x\n\0", b", " + tens + b"\0", b"speak.mlir:9: " + where):
        assert text in code, text


@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100", "sm_120"])
def test_kernels_whose_warps_have_jobs_speak_too(assembler, architecture, tmp_path):
    """A loop over products, which some warps feed: the others print and assert."""
    says = """print_tko "%d %f\\0A", %i, %acc : tile<i32>, tile<64x64xf32> -> token
      %low = cmpi less_than %i, %four, signed : tile<i32> -> tile<i1>
      assert %low, "too far" : tile<i1>
      %next = mmaf"""
    text = PADDED.replace("padding_value = pos_inf, ", "").replace("%next = mmaf", says)
    source, cubin = tmp_path / "product.tilebc", tmp_path / "product.cubin"
    source.write_bytes(_native.assemble(text.encode(), "product.mlir", ""))
    made = run(source, "-o", cubin, f"--gpu-name={architecture}", **assembler)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    assert b"\0vprintf\0" in cubin.read_bytes() and b"too far\n" in cubin.read_bytes()


FRONT_END = """
import sys
from pathlib import Path

import io
import cuda.tile as ct
import cuda.tile.compilation as compilation
from cuda.tile import _compile

_compile._find_pip_tileiras = lambda: None  # NVIDIA's own, which would come first
found = _compile._find_compiler_bin().path
assert found == sys.argv[1], found
print(_compile._get_max_supported_bytecode_version(sys.argv[2]).as_string())


@ct.kernel
def add(x, y, z):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.load(x, index=(i,), shape=(256,)) + ct.load(y, index=(i,), shape=(256,)))


array = compilation.ArrayConstraint(
    ct.float32, 1, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=[], may_alias_internally=False,
    stride_constant=(1,), base_addr_divisible_by=16,
)
signature = compilation.KernelSignature([array] * 3, compilation.CallingConvention.cutile_python_v1())
for gpu in ("sm_80", "sm_90", "sm_120"):
    file = io.BytesIO()
    compilation.export_kernel(add, [signature], file, gpu_code=gpu, output_format="cubin")
    print(gpu, file.getvalue()[:4], b"add" in file.getvalue())
"""


def test_nvidias_front_end_takes_it_for_its_own(assembler, tmp_path):
    """It looks in PATH, and asks what versions are read with empty modules."""
    nvidia_tools.require("cuda-tile")
    script = tmp_path / "front_end.py"  # a file: the front end reads its kernels' source
    script.write_text(FRONT_END)
    path = os.pathsep.join([os.fspath(TILEIRAS.parent), os.environ["PATH"]])
    made = subprocess.run(
        [sys.executable, script, TILEIRAS, tmp_path],
        capture_output=True,
        text=True,
        env={**os.environ, **assembler, "PATH": path},
        check=False,
    )
    assert (made.returncode, made.stderr) == (0, "")
    compiled = [f"{gpu} {bytes([127, *b'ELF'])} True" for gpu in ("sm_80", "sm_90", "sm_120")]
    assert made.stdout.splitlines() == ["13.4", *compiled]
