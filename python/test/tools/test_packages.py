# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contents of a wheel and of the archive of sources. `./dev wheel` and `./dev sdist` try them."""

import ast
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

import bill_of_materials as bom  # noqa: E402

# Functions and objects of Python's stable ABI that the binding uses. To add one, look whether it is of Python 3.12's
# (https://docs.python.org/3.12/c-api/stable.html).
STABLE = set(
    """
    PyBool_Type PyBytes_AsString PyBytes_FromStringAndSize PyBytes_Size PyCFunction_Type PyCallable_Check
    PyCapsule_GetContext PyCapsule_GetName PyCapsule_GetPointer PyCapsule_IsValid PyCapsule_New PyCapsule_SetContext
    PyDict_Contains PyDict_GetItemWithError PyDict_New PyDict_Next PyDict_SetItem PyErr_CheckSignals PyErr_Clear
    PyErr_ExceptionMatches PyErr_GivenExceptionMatches PyErr_Occurred PyErr_SetObject PyErr_SetString PyErr_WarnEx
    PyEval_RestoreThread PyEval_SaveThread PyExc_ImportError PyExc_KeyError PyExc_MemoryError PyExc_OverflowError
    PyExc_RuntimeError PyExc_RuntimeWarning PyExc_TypeError PyExc_ValueError PyFloat_AsDouble PyFloat_FromDouble
    PyFloat_Type PyImport_ImportModule PyIndex_Check PyIter_Next PyList_Append PyList_New PyLong_AsLong
    PyLong_AsLongLong PyLong_AsLongLongAndOverflow PyLong_AsSize_t PyLong_AsUnsignedLongLong PyLong_AsVoidPtr
    PyLong_FromLong PyLong_FromUnsignedLong PyLong_Type PyMem_Free PyNumber_Float PyNumber_Index PyNumber_Long
    PyObject_Call PyObject_CallFunctionObjArgs PyObject_CallMethod PyObject_CheckBuffer PyObject_GetAttr
    PyObject_GetIter PyObject_HasAttrString PyObject_IsInstance PyObject_IsSubclass PyObject_IsTrue PyObject_Repr
    PyObject_Size PyObject_Str PyObject_VectorcallMethod PySequence_Check PySequence_GetItem PySequence_Tuple
    PyTuple_Type PyType_GetSlot PyType_IsSubtype PyUnicode_AsEncodedString PyUnicode_AsUTF8AndSize
    PyUnicode_DecodeUTF8 PyUnicode_FromString PyUnicode_InternFromString Py_BuildValue _Py_Dealloc _Py_FalseStruct
    _Py_NoneStruct _Py_TrueStruct
    """.split()
)
OBJECTS = ROOT / "build/python/CMakeFiles/tw_python.dir"
INSIDE_OF_OBJECTS = re.compile(r"\bPy\w+_(GET_SIZE|GET_ITEM|SET_ITEM|AS_STRING|AS_DOUBLE)\b|->(tp|ob|nb)_\w+")

VERSIONS = {name: "1.2" for name in ("tilewright", *bom.PARTS)}


def test_bill_of_materials():
    bill = bom.bill(VERSIONS)
    assert [part["purl"].split("@")[1].lstrip("v") for part in bill["components"][1:]] == ["1.2"] * (len(bom.PARTS) - 1)
    assert bill["dependencies"][0]["dependsOn"] == [part["bom-ref"] for part in bill["components"]]
    references = [part["bom-ref"] for part in bill["components"]]
    assert len(set(references)) == len(references)


@pytest.mark.parametrize("versions", [{**VERSIONS, "boost": "1"}, {"tilewright": "1"}, {**VERSIONS, "zlib": ""}])
def test_versions_of_other_parts(versions):
    with pytest.raises(ValueError, match="the versions are not those of the table"):
        bom.bill(versions)


def test_each_part_has_its_notices():
    assert {path.stem for path in (ROOT / "licenses").iterdir()} == set(bom.PARTS)


def test_the_licence_of_a_wheel_is_that_of_all_parts():
    declared = re.search(r'^license = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1].split(" AND ")
    parts = [bom.OWN_LICENCE, *(name for part in bom.PARTS.values() for name in part.licence.split(" AND "))]
    assert set(declared) == set(parts) and len(declared) == len(set(declared))


def test_sources_have_what_the_build_needs(tmp_path):
    build = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, tmp_path], cwd=ROOT, check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        inside = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    left_out = ("bench/", ".")
    missing = [name for name in tracked if name and not name.startswith(left_out) and name not in inside]
    assert not missing


def test_kernels_import_each_other_when_they_are_imported():
    """In an installation the name `kernels` is theirs only then."""
    for path in (ROOT / "kernels").glob("**/*.py"):
        parts = path.relative_to(ROOT / "kernels").parts
        if parts[0] in ("examples", "foreign") or path.name.startswith("test_"):
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef):
                modules = [node.module or "" for node in ast.walk(function) if isinstance(node, ast.ImportFrom)]
                assert not any(name.split(".")[0] == "kernels" for name in modules), f"{path}: {function.name}"


@pytest.mark.skipif(not OBJECTS.exists() or not shutil.which("llvm-nm-22"), reason="needs the objects of a build")
def test_the_binding_uses_the_stable_abi():
    """The wheel for Python 3.12 and later does, which is not built here."""
    command = ["llvm-nm-22", "--undefined-only", "--format=just-symbols", *OBJECTS.rglob("*.o")]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    assert {name for name in names if name.startswith(("Py", "_Py"))} <= STABLE
    for path in (ROOT / "python/native").rglob("*.cpp"):
        assert not INSIDE_OF_OBJECTS.search(path.read_text()), f"{path} reads the fields of Python's objects"
