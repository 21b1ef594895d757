// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is seen: the list of views, and a pane for each that is open.

class Pane {
  constructor(page, view) {
    this.page = page;
    this.view = view;
    this.isWhole = !view.before;
    this.list = make("div", { class: "rows" });
    this.next = make("button", { title: "the next marked line", onclick: () => this.showNext() });
    this.mode = make("button", { onclick: () => this.switchMode() });
    const close = make("button", { title: "close", onclick: () => page.toggle(view) }, "×");
    const buttons = view.before ? [this.next, this.mode, close] : [this.next, close];
    const head = make("header", {}, make("b", { title: view.hint }, view.title), ...buttons);
    this.element = make("section", {}, head, this.list);
    this.fill();
  }

  fill() {
    this.mode.textContent = this.isWhole ? "changes" : "whole text";
    const rows = this.isWhole ? this.view.rows : folded(differences(this.view.before.rows, this.view.rows));
    this.shown = rows.map((row) => this.makeRow(row));
    this.list.replaceChildren(...this.shown.map(({ element }) => element));
    this.mark();
  }

  makeRow(row) {
    const kinds = ["row", row.change, row.failed && "failed", row.hidden && "alike", row.origins.length && "linked"];
    const element = make("div", { class: kinds.filter(Boolean).join(" "), "data-number": row.number }, row.text);
    if (row.hidden) element.addEventListener("click", () => this.unfold(element, row.hidden));
    else if (row.origins.length) element.addEventListener("click", () => this.page.mark(row.origins));
    return { row, element };
  }

  unfold(element, rows) {
    const made = rows.map((row) => this.makeRow(row));
    this.shown.splice(this.shown.findIndex((each) => each.element === element), 1, ...made);
    element.replaceWith(...made.map((each) => each.element));
    this.mark();
  }

  switchMode() {
    this.isWhole = !this.isWhole;
    this.fill();
  }

  mark() {
    this.marked = this.shown.filter(({ row }) => isMarked(row, this.page.marks));
    const elements = new Set(this.marked.map(({ element }) => element));
    for (const { element } of this.shown) element.classList.toggle("marked", elements.has(element));
    this.next.textContent = this.marked.length ? `${this.marked.length} marked ↓` : "";
    this.at = -1;
  }

  showNext() {
    if (!this.marked.length) return;
    this.at = (this.at + 1) % this.marked.length;
    const { element } = this.marked[this.at];
    this.list.scrollTop = element.offsetTop - this.list.clientHeight / 2;
  }

  // Where nothing that is marked can be seen.
  reveal() {
    const { top, bottom } = this.list.getBoundingClientRect();
    const isSeen = ({ element }) => {
      const place = element.getBoundingClientRect();
      return place.bottom > top && place.top < bottom;
    };
    if (this.marked.length && !this.marked.some(isSeen)) this.showNext();
  }
}

class Page {
  constructor(trace) {
    this.trace = trace;
    const { files, stages, plans } = viewsOf(trace);
    this.stageViews = stages;
    this.views = [...files, ...stages.slice(0, 1), ...plans, ...stages.slice(1)];
    this.marks = new Set();
    this.panes = new Map();
    this.buttons = new Map();
    this.place = document.getElementById("panes");
    this.list();
    if (trace.error) document.querySelector("header").append(make("pre", { class: "error" }, trace.error));
    for (const view of this.firstViews()) this.toggle(view);
    this.showFailure();
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.mark([]));
  }

  list() {
    const nav = document.querySelector("nav");
    let group = "";
    for (const view of this.views) {
      if (view.group !== group) nav.append(...this.titleOf((group = view.group), view.isPass));
      const count = make("span", { class: "count" });
      const name = make("span", { class: "name" }, view.title);
      const button = make("button", { title: view.hint, onclick: () => this.toggle(view) }, name, count);
      this.buttons.set(view, { button, count });
      nav.append(button);
    }
    for (const note of this.trace.notes) nav.append(make("small", {}, note));
  }

  titleOf(group, isPass) {
    const others = (isPass && this.trace.unchanged[group]) || [];
    const text = `${others.length} more ${others.length === 1 ? "pass" : "passes"} changed nothing`;
    return [make("h2", {}, group), ...(others.length ? [make("small", { title: others.join(", ") }, text)] : [])];
  }

  // The source, Tile IR and the last level; of a failure the last one that was reached.
  firstViews() {
    const stages = this.stageViews;
    const files = this.views.filter((view) => view.isFile);
    const file = files.find((view) => view.rows.some((row) => row.failed)) || files[0];
    return [...new Set([file, stages[0], stages[stages.length - 1]])].filter(Boolean);
  }

  // Marks what the lines of the message became.
  showFailure() {
    const failed = this.views.filter((view) => view.isFile).flatMap((view) => view.rows.filter((row) => row.failed));
    this.mark(failed.flatMap((row) => row.origins));
    const first = document.querySelector(".row.failed");
    if (first) first.scrollIntoView({ block: "center" });
    if (this.trace.error) document.querySelector("nav").append(make("small", {}, "here the compilation failed"));
  }

  toggle(view) {
    const pane = this.panes.get(view);
    if (pane) {
      pane.element.remove();
      this.panes.delete(view);
    } else {
      const made = view.plan ? new PlanPane(this, view) : new Pane(this, view);
      const next = this.views.slice(this.views.indexOf(view)).find((each) => this.panes.has(each));
      this.place.insertBefore(made.element, next ? this.panes.get(next).element : null);
      this.panes.set(view, made);
      made.reveal();
    }
    this.buttons.get(view).button.classList.toggle("open", !pane);
  }

  mark(origins) {
    this.marks = relatedOrigins(this.trace, origins);
    for (const [view, { count }] of this.buttons) {
      const marked = view.rows.filter((row) => isMarked(row, this.marks)).length;
      count.textContent = marked || "";
    }
    for (const pane of this.panes.values()) {
      pane.mark();
      pane.reveal();
    }
  }
}

showPage((trace) => new Page(trace));
