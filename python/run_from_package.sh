#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the program of this name that lies in the package: in an environment of any version of Python, or in a folder that
# `pip install --target` filled.
script=$(readlink -f "$0")
prefix=$(dirname "$script")/..
for package in "$prefix"/lib*/python3*/*-packages/tilewright "$prefix"/tilewright; do
  program=$package/$(basename "$script")
  [ -x "$program" ] && exec "$program" "$@"
done
echo "$0: error: no package tilewright in $prefix/lib/python3*/site-packages or $prefix" >&2
exit 127
