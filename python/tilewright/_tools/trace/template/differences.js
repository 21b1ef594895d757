// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of two levels: the longest common part; of large texts, lines that each has once (patience), and what
// stands between two of those is compared alone.

const mostCells = 4e6; // of the table of the exact way

// Passes number values and blocks again and put operations into regions, which is no change of these.
function keyOf(text) {
  return text.trim().replace(/%[\w$.#-]+|\^bb\d+/g, (name) => name[0]);
}

// Pairs of the longest common part.
function commonPart(left, right, from, to) {
  const [n, m] = [to[0] - from[0], to[1] - from[1]];
  const lengths = new Uint16Array((n + 1) * (m + 1)); // of the part behind both places
  for (let i = n - 1; i >= 0; i--)
    for (let j = m - 1, at = i * (m + 1) + j; j >= 0; j--, at--)
      lengths[at] =
        left[from[0] + i] === right[from[1] + j]
          ? lengths[at + m + 2] + 1
          : Math.max(lengths[at + 1], lengths[at + m + 1]);
  const found = [];
  for (let i = 0, j = 0; i < n && j < m; ) {
    const at = i * (m + 1) + j;
    if (left[from[0] + i] === right[from[1] + j]) found.push([from[0] + i++, from[1] + j++]);
    else if (lengths[at + m + 1] >= lengths[at + 1]) i++;
    else j++;
  }
  return found;
}

// Pairs of lines that both have once, in the order of both.
function anchors(left, right, from, to) {
  const places = new Map();
  const note = (keys, [begin, end], side) => {
    for (let i = begin; i < end; i++) {
      const place = places.get(keys[i]) || { counts: [0, 0], at: [0, 0] };
      place.counts[side]++;
      place.at[side] = i;
      places.set(keys[i], place);
    }
  };
  note(left, [from[0], to[0]], 0);
  note(right, [from[1], to[1]], 1);
  const pairs = [...places.values()].filter(({ counts }) => counts[0] === 1 && counts[1] === 1);
  return longestRise(pairs.map(({ at }) => at).sort((a, b) => a[0] - b[0]));
}

// The longest part of the pairs whose second numbers rise.
function longestRise(pairs) {
  const tails = [];
  for (const pair of pairs) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle].pair[1] < pair[1]) low = middle + 1;
      else high = middle;
    }
    tails[low] = { pair, before: tails[low - 1] };
  }
  const found = [];
  for (let tail = tails[tails.length - 1]; tail; tail = tail.before) found.push(tail.pair);
  return found.reverse();
}

// Pairs of equal lines.
function matches(left, right, most, from = [0, 0], to = [left.length, right.length]) {
  const found = [];
  const ends = [];
  let [i, j] = from;
  let [iEnd, jEnd] = to;
  while (i < iEnd && j < jEnd && left[i] === right[j]) found.push([i++, j++]);
  while (i < iEnd && j < jEnd && left[iEnd - 1] === right[jEnd - 1]) ends.push([--iEnd, --jEnd]);
  if ((iEnd - i) * (jEnd - j) <= most) found.push(...commonPart(left, right, [i, j], [iEnd, jEnd]));
  else {
    const fixed = anchors(left, right, [i, j], [iEnd, jEnd]);
    if (fixed.length)
      for (const [a, b] of [...fixed, [iEnd, jEnd]]) {
        for (const pair of matches(left, right, most, [i, j], [a, b])) found.push(pair);
        if (a < iEnd) found.push([a, b]);
        [i, j] = [a + 1, b + 1];
      }
  }
  return [...found, ...ends.reverse()];
}

// The rows of both in one order, as change "removed", "added" or "".
function differences(before, after, most = mostCells) {
  const keys = (rows) => rows.map((row) => keyOf(row.text));
  const found = [];
  let [i, j] = [0, 0];
  for (const [a, b] of [...matches(keys(before), keys(after), most), [before.length, after.length]]) {
    while (i < a) found.push({ ...before[i++], change: "removed", number: "−" });
    while (j < b) found.push({ ...after[j++], change: "added" });
    if (b < after.length) found.push({ ...after[b], change: "" });
    [i, j] = [a + 1, b + 1];
  }
  return found;
}

function foldedRow(hidden) {
  const origins = [...new Set(hidden.flatMap((row) => row.origins))];
  return { text: `${hidden.length} lines alike`, origins, number: "⋯", hidden };
}

// Long stretches without a change become one row, which has them as `hidden`.
function folded(rows, context = 3) {
  const isNear = rows.map(() => false);
  rows.forEach((row, i) => {
    if (row.change) isNear.fill(true, Math.max(0, i - context), i + context + 1);
  });
  const found = [];
  for (let i = 0; i < rows.length; ) {
    let end = i;
    while (end < rows.length && !isNear[end]) end++;
    if (end > i) found.push(foldedRow(rows.slice(i, end)));
    for (; end < rows.length && isNear[end]; end++) found.push(rows[end]);
    i = end;
  }
  return found;
}
