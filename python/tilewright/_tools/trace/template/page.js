// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The trace: stages of rows, each with the numbers of its origins. An origin is a place in the source and the calls that
// led to it, innermost first, as [file, line, column].

function sums(steps) {
  let sum = 0;
  return steps.map((step) => (sum += step));
}

function rowsOfStage(trace, stage) {
  const places = sums(stage.places);
  return sums(stage.texts).map((text, i) => ({
    text: trace.texts[text],
    origins: trace.places[places[i]],
    number: i + 1,
  }));
}

// A line of the source has all origins that were there, or in something that it called.
function rowsOfFile(trace, number) {
  const origins = trace.files[number].lines.map(() => new Set());
  trace.origins.forEach((frames, origin) => {
    for (const [file, line] of frames)
      if (file === number && line <= origins.length) origins[line - 1].add(origin);
  });
  const { name, lines } = trace.files[number];
  return lines.map((text, i) => ({
    text,
    origins: [...origins[i]],
    number: i + 1,
    failed: trace.failed.some(([file, line]) => file === name && line === i + 1),
  }));
}

// What is known of both is the same: code knows fewer calls than the levels above, and assembly often no columns.
function isRelated(one, other) {
  for (let i = 0; i < Math.min(one.length, other.length); i++) {
    const [a, b] = [one[i], other[i]];
    if (a[0] !== b[0] || a[1] !== b[1] || (a[2] && b[2] && a[2] !== b[2])) return false;
  }
  return true;
}

function relatedOrigins(trace, origins) {
  const found = new Set();
  trace.origins.forEach((frames, i) => {
    if (origins.some((origin) => isRelated(trace.origins[origin], frames))) found.add(i);
  });
  return found;
}

function isMarked(row, marks) {
  return row.origins.some((origin) => marks.has(origin));
}

// The views in the order of the compilation: files, stages, and what the plan draws.
function viewsOf(trace) {
  const files = trace.files.map((file, i) => ({
    title: file.name.split("/").pop(),
    hint: file.name,
    group: "source",
    isFile: true,
    rows: rowsOfFile(trace, i),
  }));
  const stages = trace.stages.map((stage, i) => ({
    title: stage.title,
    hint: `${stage.title} ${stage.function}`,
    group: stage.group || (i ? "code" : "source"),
    isPass: Boolean(stage.group),
    rows: rowsOfStage(trace, stage),
  }));
  stages.forEach((view, i) => {
    if (view.isPass) view.before = stages[i - 1];
  });
  const plans = trace.plans.map((plan) => ({
    title: trace.plans.length > 1 ? `plan of ${plan.name}` : "plan",
    hint: "decisions and drawings",
    group: "plan",
    rows: [],
    plan,
  }));
  return { files: files.filter((file) => file.rows.length), stages, plans };
}
