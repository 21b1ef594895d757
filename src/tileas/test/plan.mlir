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
// CHECK: schedule = "start product.0, start product.1(i-1), wait product.0, work, wait product.1"  # a step is estimated at {{[0-9]+}} cycles, {{[0-9]+}} in the order of the program
// CHECK: [attention.loop.1]
// CHECK: schedule = "serial"  # it is the rest of the loop before, and has few iterations
// EXPLAIN: loop.1.schedule = serial
// EXPLAIN: iteration of the loop at {{.*}}attention_hopper.mlir:{{[0-9]+}} = {{[0-9]+}} cycles, {{[0-9]+}} in the program's order

// Without one the products wait for themselves.
// RUN: printf '[attention.loop.0]\nschedule = "serial"\n' > %t.serial
// RUN: tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.serial --emit=ptx | FileCheck %s --check-prefix=SERIAL
// SERIAL-NOT: wait_group.sync.aligned 1

// Another order: the softmax is computed before the second product starts, and nothing runs meanwhile.
// RUN: printf '[attention.loop.0]\nschedule = "start product.0, wait product.0, do reduction.1, work, start product.1, wait product.1"\n' > %t.order
// RUN: tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.order --emit=ptx | FileCheck %s --check-prefix=SERIAL
// RUN: tilewright plan %S/attention_hopper.mlir --target=sm_90 --plan=%t.order | FileCheck %s --check-prefix=ORDER
// ORDER: schedule = "start product.0, wait product.0, do reduction.1, work, start product.1, wait product.1"  # the plan file asks for it

// A plan of other tiles has the same names.
// RUN: tilewright plan %S/attention_rows64.mlir --target=sm_90 | grep schedule | sed 's|  #.*||' > %t.other
// RUN: tilewright plan %S/attention_hopper.mlir --target=sm_90 | grep schedule | head -1 | sed 's|  #.*||' | diff - %t.other

// What is wrong is named with its line.
// RUN: printf '[attention.loop.0]\nschedule = "start product.0, wait product.0, start product.1, wait product.1, work(i-1)"\n' > %t.early
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.early --emit=ptx 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: {{.*}}.early:2: the schedule is impossible: it has 'start product.1' at {{.*}}attention_hopper.mlir:{{[0-9]+}} before '{{.*}}' at {{.*}}attention_hopper.mlir:{{[0-9]+}}, for which it has to wait
// RUN: printf '[attention.loop.0]\nschedule = "start product.1, start product.0, wait product.0, work, wait product.1"\n' > %t.wait
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.wait --emit=ptx 2>&1 | FileCheck %s --check-prefix=WAIT
// WAIT: {{.*}}.wait:2: the schedule is impossible: it has 'start product.1' at {{.*}}attention_hopper.mlir:{{[0-9]+}} before 'start product.0' at {{.*}}attention_hopper.mlir:{{[0-9]+}}, for which it has to wait
// RUN: printf '[attention.loop.0]\nschedule = "start product.0, wait product.0, work, start product.11, wait product.11"\n' > %t.name
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.name --emit=ptx 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: {{.*}}.name:2: the schedule is impossible: 'start product.11': the loop has no product.11, did you mean 'product.1'?; it has product.0, reduction.0, reduction.1, product.1
// RUN: printf '[attention.loop.0]\nschedule = "start product.0, wait product.0, work"\n' > %t.short
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.short --emit=ptx 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: {{.*}}.short:2: the schedule is impossible: it has no 'start product.1', expected one for each product of the loop at {{.*}}attention_hopper.mlir
// RUN: printf '[attention.loop.0]\nschedule = "begin product.0"\n' > %t.word
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.word --emit=ptx 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: {{.*}}.word:2: 'begin product.0' of a schedule: found 'begin', expected start, wait or do with a part, or work
// RUN: printf '[attention.loop.0]\nschedule = "strat product.0"\n' > %t.letters
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.letters --emit=ptx 2>&1 | FileCheck %s --check-prefix=LETTERS
// LETTERS: {{.*}}.letters:2: 'strat product.0' of a schedule: found 'strat', did you mean 'start'?, expected
// RUN: printf '[attention.loop.7]\nschedule = "serial"\n' > %t.none
// RUN: not tilewright compile %S/attention_hopper.mlir --target=nvidia:sm_90 --plan=%t.none --emit=ptx 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: {{.*}}.none:2: a schedule of loop 7 is impossible: it has no products that threads can leave running
