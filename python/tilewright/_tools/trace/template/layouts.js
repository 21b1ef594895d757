// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts as coloured tiles: which thread holds an element in which register, or where it is in shared memory. A bar has
// the number of the thread, or the offset; its title has all elements of it.

const mostRows = 64, mostColumns = 128;

// {register: (0,1) (8,0), lane: 1 2} -> 16x8: the inputs with their bases, and the shape.
function parseLayout(text) {
  const [, inputs, shape] = text.match(/^\{(.*)\} -> (.*)$/);
  const parsed = inputs.split(/,\s*(?=[a-z])/).map((part) => {
    const [name, bases = ""] = part.split(":");
    const points = bases.match(/\([^)]*\)|\d+/g) || [];
    return { name, bases: points.map((point) => point.match(/\d+/g).map(Number)) };
  });
  return { inputs: parsed, shape: shape.split("x").map(Number) };
}

// Of each element, in the order of rows, all input coordinates that are there.
function ownersOf({ inputs, shape }) {
  const owners = Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => []);
  const bits = inputs.flatMap(({ name, bases }) => bases.map((base, i) => ({ name, value: 1 << i, base })));
  const visit = (bit, at, point) => {
    if (bit === bits.length) {
      owners[point.reduce((index, coordinate, d) => index * shape[d] + coordinate, 0)].push(at);
      return;
    }
    const { name, value, base } = bits[bit];
    visit(bit + 1, at, point);
    visit(bit + 1, { ...at, [name]: (at[name] || 0) + value }, point.map((coordinate, d) => coordinate ^ (base[d] || 0)));
  };
  visit(0, {}, shape.map(() => 0));
  return owners;
}

function ownerText(at, names) {
  return names.map((name) => `${name} ${at[name] || 0}`).join(", ");
}

// The thread, or the offset in shared memory.
function shortText(at) {
  return String(at.offset === undefined ? (at.warp || 0) * 32 + (at.lane || 0) : at.offset);
}

// A warp has a hue and a lane a lightness; in shared memory a bank has a hue.
function colourOf(at, { inputs }, bytes) {
  if (inputs.some(({ name }) => name === "offset")) {
    const bank = Math.floor(((at.offset || 0) * bytes) / 4) % 32;
    return `hsl(${bank * 11} 60% 65%)`;
  }
  const warps = 1 << (inputs.find(({ name }) => name === "warp") || { bases: [] }).bases.length;
  return `hsl(${((at.warp || 0) * 360) / warps} 60% ${45 + (at.lane || 0) * 1.3}%)`;
}

// Elements that are side by side in one thread are one bar.
function layoutTile(text, bytes) {
  const layout = parseLayout(text);
  const owners = ownersOf(layout);
  const names = layout.inputs.map(({ name }) => name);
  const columns = layout.shape[layout.shape.length - 1];
  const rows = owners.length / columns;
  const [shownRows, shownColumns] = [Math.min(rows, mostRows), Math.min(columns, mostColumns)];
  const cell = Math.max(9, Math.min(28, Math.floor(drawingWidth / shownColumns)));
  const bars = [];
  const threadOf = (at) => `${at.warp || 0} ${at.lane || 0} ${at.offset === undefined ? "" : Math.floor((at.offset * bytes) / 4)}`;
  for (let row = 0; row < shownRows; row++)
    for (let column = 0, end; column < shownColumns; column = end) {
      const all = owners.slice(row * columns + column, row * columns + shownColumns);
      const first = all[0][0] || {};
      let length = all.findIndex((each) => threadOf(each[0] || {}) !== threadOf(first));
      if (length < 0) length = all.length;
      end = column + length;
      const texts = all.slice(0, length).map((each, i) => `[${row}, ${column + i}]: ${ownerText(each[0] || {}, names)}`);
      const copies = all[0].length > 1 ? [`${all[0].length} copies`] : [];
      const place = [column * cell, row * cell, length * cell, cell];
      bars.push(bar(...place, colourOf(first, layout, bytes), [...texts, ...copies].join("\n")));
      const name = shortText(first);
      if (length * cell > 5 * name.length + 2)
        bars.push(label(column * cell + 1, row * cell + 8, name, { "font-size": 8, fill: "#000", "pointer-events": "none" }));
    }
  const isCut = shownRows < rows || shownColumns < columns;
  const note = isCut ? `the first ${shownRows} x ${shownColumns} of ${layout.shape.join(" x ")} elements` : "";
  return [picture(shownColumns * cell, shownRows * cell, ...bars), make("p", {}, note)];
}
