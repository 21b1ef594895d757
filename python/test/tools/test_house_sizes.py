# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scripts/check_sizes.py: files, folders and functions that are too large, and those that may be."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "scripts"))

import check_sizes  # noqa: E402


def lines(count):
    return "int x;\n" * count


def test_long_files_say_why():
    long = lines(check_sizes.MOST_LINES + 1)
    (complaint,) = check_sizes.file_complaints("src/a/A.cpp", long)
    assert "has 401 lines, expected at most 400" in complaint
    assert not list(check_sizes.file_complaints("src/a/A.cpp", lines(check_sizes.MOST_LINES)))
    reason = "// Licence\n//\n// Longer than 400 lines: one table.\n"
    assert not list(check_sizes.file_complaints("src/a/A.cpp", reason + long))
    assert list(check_sizes.file_complaints("src/a/A.cpp", long + reason)), "a reason stands at the head"


def test_tests_and_other_trees_may_be_long():
    for path in ("src/a/ATest.cpp", "src/a/test/a.mlir", "docs/a.md"):
        assert not list(check_sizes.file_complaints(path, lines(1000)))


def test_folders_have_few_files():
    paths = [f"src/a/F{i}.cpp" for i in range(26)]
    assert next(check_sizes.folder_complaints(paths)).startswith("src/a: has 26 files, expected at most 25")
    assert not list(check_sizes.folder_complaints(paths[1:]))
    assert not list(check_sizes.folder_complaints([f"src/a/test/f{i}.mlir" for i in range(99)]))
    assert not list(check_sizes.folder_complaints([f"kernels/foreign/f{i}.py" for i in range(99)]))
    (complaint,) = check_sizes.folder_complaints(["kernels/foreign/f.py"])
    assert complaint.startswith("kernels/foreign: has 1 files, so it needs no row")


FUNCTIONS = """\
int one() {
  return 1;
}

class A : B {
  A(int a)
      : a(a) {
    go();
  }

  void run() override {
    auto f = [&](int x) {
      return x;
    };
    for (int i : all) {
      f(i);
    }
  }
};

template <typename T>
static std::optional<T> two(T a,
                            T b) {
  if (a) {
    return b;
  }
  return a;
}
"""


def test_functions_are_measured_whole():
    assert list(check_sizes.function_lengths(FUNCTIONS)) == [(1, 3), (6, 4), (11, 8), (21, 8)]


def function(length):
    return "void f() {\n" + "  x();\n" * (length - 2) + "}\n\n"


def test_few_functions_are_long():
    text = function(30) * 94 + function(31) * 6
    (complaint,) = check_sizes.function_complaints({"src/a/A.cpp": text})
    assert complaint.startswith("src: 1 of 100 functions too many have more than 30 lines, expected at most 5 in 100")
    assert "src/a/A.cpp:" in complaint
    assert not list(check_sizes.function_complaints({"src/a/A.cpp": function(30) * 95 + function(31) * 5}))
    assert not list(check_sizes.function_complaints({"src/a/ATest.cpp": text, "tools/A.cpp": text}))
