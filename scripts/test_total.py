#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds up the JUnit files of a test run and prints the closing line.

usage: test_total.py DIRECTORY SUITE=STATUS...

Exits 1 if a test failed, or if a suite ended badly without naming a test (it crashed, or
its tests could not be collected); such a suite counts as one failure.
"""

import pathlib
import sys
import xml.etree.ElementTree as xml

# pytest's "no tests were collected" is no failure.
NO_TESTS = {("pytest", 5)}


def count(path):
    """(passed, failed, skipped) of one JUnit file; zeros if the suite left none."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return 0, 0, 0
    failed = sum(any(c.find(tag) is not None for tag in ("failure", "error")) for c in cases)
    skipped = sum(c.find("skipped") is not None or c.get("status") == "notrun" for c in cases)
    return len(cases) - failed - skipped, failed, skipped


def main(directory, *suites):
    passed = failed = skipped = 0
    for suite in suites:
        name, status = suite.rsplit("=", 1)
        p, f, s = count(pathlib.Path(directory) / f"{name}.xml")
        if int(status) and not f and (name, int(status)) not in NO_TESTS:
            print(f"{name} ended with status {status} and named no failed test")
            f = 1
        passed, failed, skipped = passed + p, failed + f, skipped + s
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
