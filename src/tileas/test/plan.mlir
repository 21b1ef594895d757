// Schedules are decisions: they are shown, kept when given back, and decided otherwise.
// RUN: tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --emit=plan -o %t.plan
// RUN: FileCheck %s < %t.plan
// RUN: tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.plan --emit=plan -o %t.again
// RUN: tilewright plan diff %t.plan %t.again
// RUN: FileCheck %s --check-prefix=AGAIN < %t.again
// AGAIN: warps = {{[0-9]+}}  # the plan file asks for it
// RUN: tilewright explain %S/attention_hopper.mlir --target=sm_90 --assembler=/nowhere/ptxas | FileCheck %s --check-prefix=EXPLAIN
// CHECK: [attention]
// CHECK: warps = 8
// CHECK: [attention.loop.0]
// CHECK: schedule = "{{[0-9].*}}@1{{.*}}"
// CHECK: [attention.loop.1]
// CHECK: schedule = "serial"
// EXPLAIN: loop.1.schedule = serial
// EXPLAIN: iteration of the loop at {{.*}}attention_hopper.mlir:{{[0-9]+}} = {{[0-9]+}} cycles, {{[0-9]+}} in the program's order

// Without one the products wait for themselves.
// RUN: printf '[attention.loop.0]\nschedule = "serial"\n' > %t.serial
// RUN: tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.serial --emit=ptx | FileCheck %s --check-prefix=SERIAL
// SERIAL-NOT: wait_group.sync.aligned 1

// What is wrong is named with its line.
// RUN: sed 's/schedule = .*@1.*/schedule = "0-3"/' %t.plan > %t.short
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.short --emit=ptx 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: {{.*}}.short:{{[0-9]+}}: schedule '0-3': operation 4 of the loop's {{[0-9]+}} is not named
// RUN: printf '[attention.loop.1]\nschedule = "1 0 2-30"\n' > %t.early
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.early --emit=ptx 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: {{.*}}.early:2: schedule '1 0 2-30': {{.*}}
// RUN: printf '[attention.loop.7]\nschedule = "serial"\n' > %t.none
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.none --emit=ptx 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: {{.*}}.none:2: loop 7 has no products that can be scheduled
