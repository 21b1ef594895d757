// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pane of a plan: decisions with their reasons, and drawings of what they come to.

function numberOf(plan, name) {
  const decision = plan.decisions.find((each) => each.name === name);
  return decision ? Number(decision.value) : 0;
}

class PlanPane {
  constructor(page, view) {
    this.page = page;
    this.plan = view.plan;
    const close = make("button", { title: "close", onclick: () => page.toggle(view) }, "×");
    const head = make("header", {}, make("b", {}, view.title), close);
    const parts = this.plan.timeline ? this.partsOfGpu() : this.partsOfCpu();
    const body = make("div", { class: "plan" }, ...this.prediction(), ...parts, this.decisions(), ...this.numbers());
    this.element = make("section", { class: "wide" }, head, body);
  }

  // Marks what the row of the plan's stage came from.
  pick(row) {
    this.page.mark(this.page.stageViews[this.plan.stage].rows[row].origins);
  }

  prediction() {
    const { prediction } = this.plan;
    if (!prediction) return [];
    const { seconds, device, bound, grid, bounds } = prediction;
    const text = `${timeText(seconds)} on ${device} for a grid of ${grid.join("x")}, bound by ${bound}; each unit alone would need:`;
    return [titled("predicted time", text, timeBars({ all: seconds, ...bounds }))];
  }

  partsOfGpu() {
    const { agents, timeline, buffers, layouts, shared_bytes: bytes } = this.plan;
    const roles = agents.filter(({ warps }) => warps).map((each) => `${each.name}: ${each.warps} warps of ${each.registers} registers`);
    const order = "In the order and with the waits of the code, some iterations of each loop; lengths are not times.";
    const time = titled("agents and stages", [...roles, order].join(". "), make("p", {}, ...legend(Object.keys(colours))));
    time.append(timelineOf(timeline, (row) => this.pick(row)));
    const memory = titled("shared memory", `${sizeText(bytes)} of a CTA; addresses from left to right, the program from top to bottom`);
    memory.append(memoryMap(buffers, bytes, (row) => this.pick(row)));
    return [time, ...(buffers.length ? [memory] : []), ...(layouts.length ? [this.layouts(layouts)] : [])];
  }

  layouts(layouts) {
    const place = make("div");
    const text = "Of tiles in registers a warp has a hue and a lane a lightness, of buffers a bank of shared memory has a hue.";
    const show = ({ layout, tiles }) => {
      const bits = Number(((tiles[0] || "").match(/x[a-z]+(\d+)/) || [0, 8])[1]);
      place.replaceChildren(make("p", {}, make("code", {}, layout)), ...layoutTile(layout, Math.max(1, bits / 8)));
    };
    const options = layouts.map(({ name, tiles }) => make("option", {}, `${name}  ${tiles.join(", ")}`));
    const choice = make("select", { onchange: () => show(layouts[choice.selectedIndex]) }, ...options);
    show(layouts[0]);
    return titled("layouts", text, choice, place);
  }

  partsOfCpu() {
    const lanes = numberOf(this.plan, "vector_bits") / 32;
    if (!lanes) return [];
    const [loop, joined] = [numberOf(this.plan, "loop_vectors"), numberOf(this.plan, "joined_blocks")];
    const vectors = titled("vectors", `An iteration of a loop over a tile computes ${loop} vectors of ${lanes} f32.`, vectorGrid(1, loop, lanes, "vector"));
    const [m, n] = [numberOf(this.plan, "micro_tile_m"), numberOf(this.plan, "micro_tile_n")];
    const loops = this.plan.loops || [];
    const products = loops.some(({ name }) => name.startsWith("cpu.mma"))
      ? [titled("products", `The sums of ${m} x ${n} elements are in registers at a time.`, vectorGrid(m, n / lanes, lanes, "register"))]
      : [];
    const blocks = titled("tasks", `A task computes ${joined > 1 ? `${joined} neighbouring tile blocks together` : "one tile block after the other"}; threads take tasks as they become free.`);
    const rows = loops.map((each) => [this.link(each), each.iterators.join(", "), each.tiles.join(", ")]);
    const list = titled("loops over tiles", "", table(["loop", "iterators", "tiles"], rows));
    return [vectors, ...products, blocks, ...(rows.length ? [list] : [])];
  }

  link({ name, row }) {
    return make("a", { class: "pick", onclick: () => this.pick(row) }, name);
  }

  decisions() {
    const rows = this.plan.decisions.map(({ name, value, reason, place }) => [name, String(value), reason || "", this.place(place)]);
    return titled("decisions", "", table(["decision", "value", "because", "at"], rows));
  }

  place(text) {
    const [, file, line] = (text || "").match(/^(.*):(\d+)$/) || [];
    const view = this.page.views.find((each) => each.isFile && each.hint === file);
    if (!view) return text || "";
    return make("a", { class: "pick", onclick: () => this.page.mark(view.rows[line - 1].origins) }, `${view.title}:${line}`);
  }

  numbers() {
    const { facts, instructions, resources } = this.plan;
    const rows = [
      ...facts.map(({ name, value }) => [name, String(value)]),
      ...Object.entries(instructions || {}).map(([name, value]) => [name, String(value)]),
      ...Object.entries(resources || {}).map(([name, value]) => [name.replace("_", " "), valueText(value)]),
    ];
    return rows.length ? [titled("code", "", table(["of the code", ""], rows))] : [];
  }

  mark() {}
  reveal() {}
}

function valueText(value) {
  if (value === null) return "none";
  return typeof value === "object" ? Object.entries(value).map(([name, each]) => `${name} ${each}`).join(", ") : String(value);
}
