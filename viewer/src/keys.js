// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Keyboard shortcuts, and the list of them that "?" shows.
import { element, make } from "./dom.js";

export function bindKeys(actions) {
  const shortcuts = [
    ["f", "flat or smooth", actions.shading],
    ["w", "edges of all faces", actions.wireframe],
    ["b", "boundary and non-manifold edges", actions.edges],
    ["c", "next field", actions.nextField],
    ["1 to 9", "show or hide a layer", null],
    ["r", "reset the view", actions.reset],
    ["x", "look along the x axis; again: from the other side", () => actions.lookAlong("x")],
    ["y", "look along the y axis", () => actions.lookAlong("y")],
    ["z", "look along the z axis", () => actions.lookAlong("z")],
    ["s", "save a picture", actions.screenshot],
    ["t", "light or dark", actions.theme],
    ["p", "show or hide the panel", actions.panel],
    ["escape", "forget the picked face", actions.forget],
    ["?", "this list", () => element("shortcuts").showModal()],
  ];
  element("shortcut-list").replaceChildren(
    ...shortcuts.flatMap(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, text)]),
  );
  element("help").addEventListener("click", () => element("shortcuts").showModal());
  const by_key = new Map(shortcuts.map(([key, , action]) => [key, action]));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || element("shortcuts").open) return;
    if (event.target.matches("input[type=text], select")) return;
    const key = event.key.toLowerCase();
    if (/^[1-9]$/.test(key)) actions.layer(Number(key) - 1);
    else if (by_key.get(key)) by_key.get(key)();
    else return;
    event.preventDefault();
  });
}
