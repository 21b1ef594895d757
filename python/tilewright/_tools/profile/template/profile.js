// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles: the picture of each timeline, with the prediction above it on the same scale, and tables.

Object.assign(colours, {
  blocks: "#3f9b5b", predicted: "#b5651d", setup: "#c9b458", load: "#4a90d9", atomic: "#8e5bb5", exchange: "#8e5bb5",
  wait: "#d8dade", acquire: "#e3d8c9", barrier: "#c4c8ce", "product wait": "#f3d9bb", "store wait": "#dccbe8",
});
const [trackHeight, nameWidth] = [20, 190];

function percent(fraction) {
  return `${(100 * fraction).toFixed(1)} %`;
}

// Tracks over time. A click zooms in by two around the place, with the shift key out.
class TimePicture {
  constructor(timeline, predicted) {
    this.timeline = timeline;
    this.predicted = predicted;
    this.whole = [0, Math.max(timeline.nanoseconds, predicted || 0)];
    this.shown = this.whole;
    this.element = make("div");
    this.fill();
  }

  zoom(event) {
    const [from, to] = this.shown;
    const place = (event.offsetX - nameWidth) / (drawingWidth - nameWidth);
    const length = Math.min(this.whole[1], (to - from) * (event.shiftKey ? 2 : 0.5));
    const middle = from + place * (to - from);
    const begin = Math.max(0, Math.min(middle - length * place, this.whole[1] - length));
    this.shown = [begin, begin + length];
    this.fill();
  }

  fill() {
    const [left, [from, to]] = [nameWidth, this.shown];
    const scale = (drawingWidth - left) / (to - from);
    const x = (time) => left + (Math.min(to, Math.max(from, time)) - from) * scale;
    const rows = this.timeline.rows.map(({ name, bars }) => ({ name, bars }));
    if (this.predicted) rows.unshift({ name: "predicted", bars: [["predicted", 0, this.predicted, "the whole launch"]] });
    const children = rows.flatMap(({ name, bars }, i) => [
      label(0, i * trackHeight + 30, name),
      ...bars
        .filter(([, begin, end]) => end > from && begin < to)
        .map(([kind, begin, end, text]) => {
          const hint = `${kind}, ${text}\n${timeText((end - begin) * 1e-9)} at ${timeText(begin * 1e-9)}`;
          return bar(x(begin), i * trackHeight + 18, Math.max(0.5, x(end) - x(begin)), trackHeight - 4, colours[kind], hint);
        }),
    ]);
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((part) => {
      const anchor = part === 1 ? "end" : part ? "middle" : "start";
      return label(left + part * (drawingWidth - left), 11, timeText((from + part * (to - from)) * 1e-9), { "text-anchor": anchor });
    });
    const drawing = picture(drawingWidth, rows.length * trackHeight + 20, ...ticks, ...children);
    drawing.addEventListener("click", (event) => this.zoom(event));
    this.element.replaceChildren(drawing);
  }
}

function timelinePart({ timeline, prediction, overhead_text: overhead }) {
  const kinds = [...new Set(timeline.rows.flatMap(({ bars }) => bars.map(([kind]) => kind)))];
  const text = `Overhead ${overhead}. A click zooms in, with the shift key out.${timeline.is_cut ? " The last tracks are cut; the file of events has all." : ""}`;
  const legends = make("p", {}, ...legend(prediction ? [...kinds, "predicted"] : kinds));
  return titled("timeline", text, legends, new TimePicture(timeline, prediction && prediction.seconds * 1e9).element);
}

function trackPart({ tracks, idle_fraction: idle, last_end_seconds: late }) {
  const rows = tracks.map((each) => [each.name, percent(each.busy_fraction), String(each.blocks), timeText(each.end_seconds)]);
  return titled("balance", `${percent(idle)} idle; the last ends ${timeText(late)} behind the first.`, table(["track", "busy", "blocks", "end"], rows));
}

function agentPart({ agents, records, dropped_records: dropped }) {
  const rows = agents.flatMap(({ name, sites }) =>
    sites.map((each) => [name, each.kind, each.place, percent(each.fraction), String(each.count), timeText(each.median_seconds)]),
  );
  const busy = agents.map(({ name, busy_fraction: fraction }) => `${name} ${percent(fraction)}`).join(", ");
  const text = `Busy, not waiting: ${busy}.${dropped ? ` ${dropped} of ${records + dropped} records, the last, had no room and are not there.` : ""}`;
  const unitsOf = (predicted) => Object.entries(predicted).map(([unit, seconds]) => `${unit} ${timeText(seconds)}`).join(", ");
  const units = agents.map(({ name, predicted }) => [name, unitsOf(predicted)]).filter(([, each]) => each);
  const predicted = units.length ? ` Predicted, by the units that each keeps at work: ${units.map((each) => each.join(" ")).join("; ")}.` : "";
  return titled("agents", text + predicted, table(["agent", "does", "at", "share", "times", "median"], rows));
}

function blockPart({ blocks }) {
  const predicted = blocks.predicted_seconds === null ? "" : `, predicted ${timeText(blocks.predicted_seconds)}`;
  const rows = blocks.slowest.map((each) => [timeText(each.seconds), each.block, each.track, timeText(each.at)]);
  return titled("blocks", `${timeText(blocks.median_seconds)} in the median${predicted}; the slowest:`, table(["time", "block", "track", "at"], rows));
}

function predictionPart({ prediction, median_seconds: median, ratio }) {
  const text = `${timeText(prediction.seconds)} on ${prediction.device}, bound by ${prediction.bound}; the measured time is ${ratio.toFixed(2)} of it. Each unit alone would need:`;
  return titled("predicted time", text, timeBars({ measured: median, all: prediction.seconds, ...prediction.bounds }));
}

function profilePart(profile) {
  const parts = [
    make("h2", {}, `${profile.kernel}, grid ${profile.grid.join("x")}`),
    make("p", {}, `${profile.arguments}; ${timeText(profile.median_seconds)} in the median of ${profile.launches} launches`),
  ];
  if (profile.tracks.length) parts.push(timelinePart(profile));
  if (profile.prediction) parts.push(predictionPart(profile));
  if (profile.tracks.length) {
    const isGpu = !profile.agents.every(({ fractions }) => "blocks" in fractions);
    parts.push(isGpu ? agentPart(profile) : trackPart(profile), blockPart(profile));
  }
  return make("div", {}, ...parts);
}

showPage(({ profiles }) => {
  document.querySelector("main").append(make("div", { class: "plan" }, ...profiles.map(profilePart)));
  return profiles;
});
