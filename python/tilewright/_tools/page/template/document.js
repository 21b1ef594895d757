// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";
// The page's data, and elements. Text of the data becomes text of elements, never HTML.

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== "") element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function table(titles, rows) {
  const line = (cells, kind) => make("tr", {}, ...cells.map((cell) => make(kind, {}, cell)));
  return make("table", {}, line(titles, "th"), ...rows.map((cells) => line(cells, "td")));
}

function titled(title, text, ...children) {
  return make("div", { class: "part" }, make("h3", {}, title), make("p", {}, text), ...children);
}

// Calls `show` with the page's data; what it makes of them is `page`.
function showPage(show) {
  unpack(document.getElementById("data").textContent).then(
    (data) => (globalThis.page = show(data)),
    (error) => document.querySelector("header").append(make("pre", { class: "error" }, `this browser cannot show it: ${error}`)),
  );
}
