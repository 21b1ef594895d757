// Every rule has a test with its message.
// RUN: %python %S/rules_tested.py %S/.. | FileCheck %s
// CHECK: {{all [0-9]+ rules have a test}}
