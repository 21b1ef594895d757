// The schedules of a plan file are kept by a search, whose candidates are refused where they make them impossible.
// DEFINE: %{module} = %S/../../tileas/test/attention_hopper.mlir
// DEFINE: %{launch} = --target=sm_90 --grid=32,32
// RUN: printf '[attention.loop.0]\nschedule = "serial"\n' > %t.serial
// RUN: tilewright plan %{module} %{launch} --plan=%t.serial --search=20 2>/dev/null | FileCheck %s --check-prefix=SERIAL
// SERIAL: [attention.loop.0]
// SERIAL-NEXT: schedule = "serial"

// What a schedule names other plans have too, but where the loop has no products of warpgroups.
// RUN: printf '[attention.loop.0]\n' > %t.order
// RUN: tilewright plan %{module} --target=sm_90 | grep 'schedule = .*(i-1)' >> %t.order
// RUN: tilewright plan %{module} %{launch} --plan=%t.order --search=60 --json > %t.json
// RUN: FileCheck %s --check-prefix=ORDER < %t.json
// RUN: not grep '"reason": ".*the schedule' %t.json
// ORDER: "refused": [
// ORDER: "reason": "a schedule of loop 0 is impossible: it has no products that threads can leave running"
