# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright doctor`: its sections, its exit status, and that a report has no names of users."""

import getpass
import json
import os
import socket
import subprocess
import sys

import fake_cuda
import pytest
from tilewright._tools.doctor import abilities, control_groups, devices, report
from tilewright._tools.doctor.privacy import without_names


def doctor(*words, **environment):
    made = subprocess.run(
        [sys.executable, "-m", "tilewright", "doctor", *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | environment,
        capture_output=True,
        text=True,
    )
    return made.returncode, made.stdout, made.stderr


def test_a_table():
    status, text, errors = doctor()
    assert (status, errors) == (0, "")
    for section in ("versions", "machine", "GPU", "frameworks", "caches", "environment", "abilities", "advice"):
        assert f"\n{section}\n  " in f"\n{text}"
    assert "\n  kernels on the CPU            yes\n" in text
    assert all(len(line) <= 110 or "/" in line for line in text.splitlines())


def test_a_report_has_no_names_of_users(tmp_path):
    home = tmp_path / "ada"
    home.mkdir()
    status, text, _ = doctor(
        "--json",
        HOME=str(home),
        LOGNAME="lovelace",
        XDG_CACHE_HOME=str(home / ".cache"),
        TILEWRIGHT_REPRODUCER_DIR=f"{home}/failed",
        TILEWRIGHT_LOCKS="/data/lovelace/plans",
        TILEWRIGHT_CUDA_DRIVER=f"{home}/libcuda.so.1",
    )
    assert status == 0
    assert str(home) not in text and "lovelace" not in text
    assert not {getpass.getuser(), socket.gethostname()} & set(text.replace("/", " ").replace('"', " ").split())
    found = json.loads(text)
    assert found["caches"]["compiled kernels"]["path"] == "~/.cache/tilewright"
    assert found["environment"]["TILEWRIGHT_REPRODUCER_DIR"]["value"] == "~/failed"
    assert found["environment"]["TILEWRIGHT_LOCKS"]["value"] == "/data/<user>/plans"
    assert "~/libcuda.so.1" in found["GPU"]["driver"]["because"]


def test_names_are_whole_words(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setattr(getpass, "getuser", lambda: "ada")
    monkeypatch.setattr(socket, "gethostname", lambda: "engine.example.org")
    text = "/home/ada/x, /home/adalbert/x, ada@engine, engine.example.org, adamant engineer"
    assert without_names([{"ada": text}]) == [{"ada": "~/x, /home/adalbert/x, <user>@<host>, <host>, adamant engineer"}]


def test_faults_of_variables():
    status, text, _ = doctor("--json", TILEWRIGHT_TIME_LIMIT="soon", TILEWRIGHT_TARGT="cpu")
    found = json.loads(text)
    assert status == 1
    assert found["abilities"]["kernels on the CPU"]["because"].startswith("TILEWRIGHT_TIME_LIMIT: found 'soon'")
    assert found["advice"]["TILEWRIGHT_TARGT"] == "no such variable, expected TILEWRIGHT_TARGET"
    assert doctor(TILEWRIGHT_TARGT="cpu")[0] == 0


def test_a_cache_that_cannot_be_written():
    found = json.loads(doctor("--json", TILEWRIGHT_CACHE_DIR="/proc/nothing")[1])
    assert not found["caches"]["compiled kernels"]["writable"]["works"]
    assert "TILEWRIGHT_CACHE_DIR" in found["advice"]["cache"]
    assert json.loads(doctor("--json", TILEWRIGHT_CACHE_DIR="off")[1])["caches"]["compiled kernels"] is None


def test_launches_in_the_interpreter():
    found = json.loads(doctor("--json", TILEWRIGHT_INTERPRET="1")[1])
    assert found["abilities"]["launches"]["because"] == "in the interpreter"
    assert found["abilities"]["kernels on the CPU"]["works"]


def test_a_gpu():
    """The driver of tests runs no kernel."""
    found = json.loads(doctor("--json", TILEWRIGHT_CUDA_DRIVER=str(fake_cuda.path()))[1])
    (gpu,) = found["GPU"]["GPUs"]
    if gpu["name"] != "a GPU that is none":
        pytest.skip(f"this process has the driver of a real GPU, {gpu['name']}")
    assert gpu["supported"] == {"works": True, "because": "sm_90a"}
    assert found["GPU"]["driver"]["because"] == "CUDA 13.0"
    assert found["GPU"]["assemblers"][-1]["kind"] == "driver"
    assert found["abilities"]["kernels on a GPU"]["because"] == "a small kernel has a wrong result"
    assert found["abilities"]["kernels on the CPU"]["works"]


def program(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_kernel_that_dies(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", program(tmp_path, "python", "kill -ILL $$"))
    assert abilities._try_kernel() == {"works": False, "because": "a small kernel ended with SIGILL"}
    monkeypatch.setattr(sys, "executable", program(tmp_path, "python", "echo broken >&2; exit 1"))
    assert abilities._try_kernel() == {"works": False, "because": "broken"}


def test_versions_of_assemblers(tmp_path, monkeypatch):
    ptxas = program(tmp_path, "ptxas", "echo 'Cuda compilation tools, release 12.8, V12.8.93'")
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", ptxas)
    assert devices._assemblers(0) == [{"kind": "ptxas", "version": "12.8.93", "path": ptxas}]
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", str(tmp_path / "libnvJitLink.so.13"))
    assert devices._assemblers(0)[0]["version"].startswith("does not load: ")
    monkeypatch.setenv("TILEWRIGHT_ASSEMBLER", "driver")
    assert devices._assemblers(13010)[0]["version"] == "13.1"


@pytest.mark.parametrize(
    "membership, files, expected",
    [
        ("0::/a/b\n", {"a/cpu.max": "150000 100000", "a/b/cpu.max": "max 100000"}, (1.5, None)),
        ("0::/a/b\n", {"memory.max": "max", "a/memory.max": "300", "a/b/memory.max": "200"}, (None, 200)),
        ("0::/of/the/host\n", {"cpu.max": "400000 100000"}, (4.0, None)),
        (
            "2:cpu,cpuacct:/a\n1:memory:/\n",
            {"cpu/a/cpu.cfs_quota_us": "50000", "cpu/a/cpu.cfs_period_us": "100000",
             "memory/memory.limit_in_bytes": "9223372036854771712"},
            (0.5, None),
        ),
        ("1:cpu:/\n", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, (None, None)),
    ],
)  # fmt: skip
def test_limits_of_cgroups(tmp_path, membership, files, expected):
    (tmp_path / "membership").write_text(membership)
    for name, text in files.items():
        path = tmp_path / "cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = control_groups.read(tmp_path / "membership", tmp_path / "cgroup")
    assert (found.cores, found.memory_bytes) == expected
    assert control_groups.read(tmp_path / "none") == control_groups.Limits()


def test_texts_of_values():
    assert report.render({"of": {"a bytes": 3 << 19, "b": None, "c": ["x", "y"]}}) == (
        f"of\n  {'a':<30}1.5 MiB\n  {'b':<30}none\n  {'c':<30}x y\n"
    )
