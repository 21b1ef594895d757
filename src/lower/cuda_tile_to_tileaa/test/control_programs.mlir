// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random nests of if, for and loop with break, continue and return do what they did before they were structured.
// RUN: %python %S/control_programs.py --seed 1 --programs 60 --dir %t
