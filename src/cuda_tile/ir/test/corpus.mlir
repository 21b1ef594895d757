// Reference texts, where a directory of them is given.
// RUN: %python %S/corpus_round_trip.py tilewright-opt | FileCheck %s
// CHECK: {{skipped: TILEWRIGHT_TILE_IR_TEXTS is not set|texts print back as they were read}}
