// The schedules of a plan file are kept by a search, whose candidates are refused where they make them impossible.
// DEFINE: %{module} = %S/../../tileas/test/attention_hopper.mlir
// DEFINE: %{launch} = --target=sm_90 --grid=32,32
// RUN: printf '[attention.loop.0]\nschedule = "serial"\n' > %t.serial
// RUN: tilewright plan %{module} %{launch} --plan=%t.serial --search=20 2>/dev/null | FileCheck %s --check-prefix=SERIAL
// SERIAL: [attention.loop.0]
// SERIAL-NEXT: schedule = "serial"

// An order of operations that other plans have more or fewer of.
// RUN: printf '[attention.loop.0]\n' > %t.order
// RUN: tilewright plan %{module} --target=sm_90 | grep 'schedule = .*@1' >> %t.order
// RUN: tilewright plan %{module} %{launch} --plan=%t.order --search=60 --json | FileCheck %s --check-prefix=ORDER
// ORDER: "refused": [
// ORDER: "reason": "loop 0 has no products that can be scheduled"
// ORDER: "reason": "schedule '{{.*}}@1{{.*}}':
