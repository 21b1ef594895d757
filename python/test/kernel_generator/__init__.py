# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels in Python. A seed is a program: a file with a kernel, its grid and its arguments. The kernel is
compiled and run, and the very same file is evaluated in NumPy, block by block, by a second implementation of the
language that shares nothing with the front end: results have to be equal bit for bit.

| module | holds |
|---|---|
| `dtypes` | element types, promotion, rounding to a type |
| `tiles` | tiles of NumPy arrays with the operators of the language |
| `arrays` | arrays in memory: tile space, views, gather and scatter, atomics |
| `language` | the module that a program imports as the language while it is evaluated |
| `programs` | the file of a program, its arguments, its evaluation |
| `grammar` | programs from seeds: types, expressions, statements, accesses |
| `outcome` | one program compiled, run and compared |
| `reference` | one program through NVIDIA's front end |
| `campaign` | many of them, in processes that may die |
| `reduction` | a failing program made small |

`python -m kernel_generator --count=1000`, started in `python/test`, runs a campaign, as
`./dev fuzz --kernels N` does."""
