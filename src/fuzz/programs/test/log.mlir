// What a campaign has done is in its file: a call with more programs goes on from there, and adds to what the file says.
// RUN: rm -f %t.log
// RUN: tilewright-programs --count=3 --ways=nvidia:sm_90/O3/ptx --log=%t.log | FileCheck %s --check-prefix=FIRST
// RUN: tilewright-programs --count=5 --ways=nvidia:sm_90/O3/ptx --log=%t.log | FileCheck %s --check-prefix=SECOND
// RUN: FileCheck %s --input-file=%t.log --check-prefix=FILE
// FIRST: 3 programs agree, 0 refused, 0 failed
// FIRST: log: 3 programs agree in 1 ways, 0 refused, 0 failed
// SECOND: 2 programs agree, 0 refused, 0 failed
// SECOND: log: 5 programs agree in 1 ways, 0 refused, 0 failed
// FILE: ways nvidia:sm_90/O3/ptx
// FILE-NEXT: done 0 2 same 3
// FILE-NEXT: done 3 4 same 2

// A seed that failed is done as well, and the file says why.
// RUN: rm -f %t.failed.log
// RUN: not tilewright-programs --count=2 --ways=cpu/O0+get_tile_block_id=nosuch --log=%t.failed.log
// RUN: FileCheck %s --input-file=%t.failed.log --check-prefix=FAILED
// FAILED: failed 0 cpu/O0+get_tile_block_id=nosuch: {{.*}}nosuch
// FAILED: failed 1
// FAILED: done 0 1 same 0

// A file of other ways or with lines of something else is refused.
// RUN: not tilewright-programs --count=5 --ways=nvidia:sm_80/O3/ptx --log=%t.log 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: campaign '{{.*}}log': expected 'ways nvidia:sm_80/O3/ptx', got 'ways nvidia:sm_90/O3/ptx'; name another file
// RUN: echo 'done 7' >> %t.log
// RUN: not tilewright-programs --count=5 --ways=nvidia:sm_90/O3/ptx --log=%t.log 2>&1 | FileCheck %s --check-prefix=LINE
// LINE: error: campaign '{{.*}}log': expected 'done FIRST LAST same N', 'failed SEED TEXT' or 'refused SEED TEXT', got 'done 7'
