// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

export const element = (id) => document.getElementById(id);

// make("td", { className: "x" }, "text", child, ...)
export function make(tag, properties = {}, ...children) {
  const result = Object.assign(document.createElement(tag), properties);
  result.append(...children);
  return result;
}

let hiding = 0;
export function notice(text) {
  const line = element("notice");
  line.textContent = text;
  line.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => (line.hidden = true), 6000);
}
