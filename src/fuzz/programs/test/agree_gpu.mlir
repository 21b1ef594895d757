// Programs of the first seeds have code for GPUs with and without tensor maps, and of the oldest and newest generation.
// RUN: tilewright-programs --strict --count=50 --jobs=2 --ways=nvidia:sm_80/O3/ptx,nvidia:sm_90/O3/ptx,nvidia:sm_90/O3/ptx/portable,nvidia:sm_120/O3/ptx --found=%t.found | FileCheck %s
// CHECK: 50 programs agree, 0 refused, 0 failed
