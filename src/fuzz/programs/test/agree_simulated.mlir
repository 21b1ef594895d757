// Programs of the first seeds simulated for four GPUs, under ten schedules each.
// RUN: tilewright-programs --count=150 --jobs=2 --ways=checked,tileas:sm_80/10,tileas:sm_90/10,tileas:sm_100/10,tileas:sm_120/10 --found=%t.found | FileCheck %s
// CHECK: 150 programs agree, 0 refused, 0 failed
