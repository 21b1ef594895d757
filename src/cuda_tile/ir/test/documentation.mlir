// docs/tile-ir.md is what the records say.
// RUN: %python %S/../../../../docs/generate_tile_ir.py --check
