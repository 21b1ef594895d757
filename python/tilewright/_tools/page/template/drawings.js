// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drawings of the plan as SVG: time, shared memory, vectors.

const drawingWidth = 960;
const colours = {
  copy: "#4a90d9", full: "#a9c9ee", read: "#3f9b5b", product: "#e08a2c", work: "#8a8f98", waits: "#d8dade", store: "#8e5bb5",
};

function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function picture(width, height, ...children) {
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}` }, ...children);
}

function label(x, y, text, attributes = {}) {
  return draw("text", { x, y, "font-size": 11, fill: "currentColor", ...attributes }, text);
}

function bar(x, y, width, height, fill, hint, onclick) {
  const pick = onclick ? { onclick, class: "pick" } : {};
  return draw("rect", { x, y, width, height, fill, stroke: "#0003", ...pick }, draw("title", {}, hint));
}

// Agents, tensor cores and stages of rings; `pick` is called with the row of the text that a bar is from.
function timelineOf(rows, pick) {
  const [left, height] = [130, 20];
  const last = Math.max(1, ...rows.flatMap((row) => row.bars.map((each) => each[2])));
  const unit = Math.min(14, Math.max(5, (drawingWidth - left) / last));
  const children = rows.flatMap((row, i) => {
    const y = i * height;
    const bars = row.bars.flatMap(([kind, begin, end, use, text]) => {
      const [x, width] = [left + begin * unit, (end - begin) * unit];
      const hint = kind + (use < 0 ? "" : `, iteration ${use}`);
      const number = use >= 0 && width > 12 ? [label(x + 3, y + 13, use, { "pointer-events": "none" })] : [];
      return [bar(x, y + 2, width, height - 4, colours[kind], hint, () => pick(text)), ...number];
    });
    return [label(0, y + 14, row.name), ...bars];
  });
  return picture(left + last * unit + 2, rows.length * height, ...children);
}

function legend(kinds) {
  return kinds.map((kind) => {
    const sample = picture(12, 12, draw("rect", { width: 12, height: 12, fill: colours[kind] }));
    return make("span", { class: "legend" }, sample, ` ${kind}`);
  });
}

function sizeText(bytes) {
  return bytes >= 1024 ? `${+(bytes / 1024).toFixed(1)} KB` : `${bytes} B`;
}

// Addresses from left to right, the program from top to bottom; a ring is there as long as anything uses it.
function memoryMap(buffers, total, pick) {
  const scale = drawingWidth / Math.max(1, total);
  const lines = [...new Set(buffers.flatMap(({ life }) => life))].sort((a, b) => a - b);
  const height = 18;
  const children = buffers.flatMap((each, i) => {
    const [y, end] = [lines.indexOf(each.life[0]), lines.indexOf(each.life[1]) + 1].map((slot) => slot * height + 16);
    const stages = Math.max(1, each.stages);
    const fill = `hsl(${(i * 67) % 360} 55% 62%)`;
    const text = `${each.name}: ${each.stages ? `${stages} stages of ` : ""}${each.types.join(", ")}`;
    const parts = Array.from({ length: stages }, (_, stage) => {
      const [from, size] = [each.offset + stage * each.bytes, each.bytes];
      const hint = `${text}\nfrom ${from} to ${from + size}`;
      return bar(from * scale, y, Math.max(2, size * scale), end - y, fill, hint, () => pick(each.row));
    });
    const x = Math.max(0, Math.min(each.offset * scale, drawingWidth - 7 * text.length));
    const isInside = stages * each.bytes * scale > 7 * text.length;
    return [...parts, label(x + 3, y + 13, text, { fill: isInside ? "#000" : "currentColor", "pointer-events": "none" })];
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const anchor = part === 1 ? "end" : part ? "middle" : "start";
    return label(part * drawingWidth, 11, sizeText(part * total), { "text-anchor": anchor });
  });
  return picture(drawingWidth, lines.length * height + 18, ...ticks, ...children);
}

function timeText(seconds) {
  const [scale, unit] = seconds < 1e-3 ? [1e6, "us"] : seconds < 1 ? [1e3, "ms"] : [1, "s"];
  return `${Number((seconds * scale).toPrecision(3))} ${unit}`;
}

function timeBars(times) {
  const [left, height, longest] = [130, 18, Math.max(...Object.values(times))];
  const children = Object.entries(times).flatMap(([name, seconds], i) => {
    const width = Math.max(1, (seconds / longest) * (drawingWidth - left - 80));
    const colour = i ? colours.copy : colours.product;
    return [
      label(0, i * height + 13, name),
      bar(left, i * height + 2, width, height - 4, colour, timeText(seconds)),
      label(left + width + 6, i * height + 13, timeText(seconds)),
    ];
  });
  return picture(drawingWidth, Object.keys(times).length * height, ...children);
}

// Vectors of f32 side by side, in as many rows as are computed together.
function vectorGrid(rows, vectors, lanes, names) {
  const [cell, gap, height] = [8, 6, 14];
  const vector = lanes * cell + gap;
  const children = [];
  for (let row = 0; row < rows; row++)
    for (let i = 0; i < vectors; i++)
      for (let lane = 0; lane < lanes; lane++) {
        const fill = `hsl(${((row * vectors + i) * 47) % 360} 50% ${lane % 2 ? 66 : 72}%)`;
        children.push(bar(i * vector + lane * cell, row * (height + 3), cell, height, fill, `${names} ${row * vectors + i}, lane ${lane}`));
      }
  return picture(vectors * vector, rows * (height + 3), ...children);
}
