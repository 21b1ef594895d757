// The file that docs/bytecode.md takes apart is what the writer writes.
// RUN: %python %S/documentation.py tilewright-translate
