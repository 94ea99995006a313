// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// A click on the mesh: which face it is, its vertices, the values there.
import { element, make, notice } from "./dom.js";
import { numberOf, valueText } from "./fields.js";
import { formatCount, formatNumber } from "./numbers.js";

const still = 4; // pixels: more is a drag

export class Picking {
  constructor(layers, view, store, wordsOf) {
    Object.assign(this, { layers, view, store, wordsOf });
    this.followClicks(element("canvas"));
    element("clear-picked").addEventListener("click", () => store.set({ picked: null }));
    store.subscribe((state, changed) => {
      if (!changed.has("picked") && !changed.has("theme") && !changed.has("system_theme")) return;
      view.setPicked(state.picked);
      if (changed.has("picked")) this.show(state.picked);
    });
  }

  followClicks(canvas) {
    let start = null;
    canvas.addEventListener("pointerdown", (event) => {
      start = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY } : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!start || Math.hypot(event.clientX - start.x, event.clientY - start.y) > still) return;
      start = null;
      const frame = canvas.getBoundingClientRect();
      this.pickAt(event.clientX - frame.left, event.clientY - frame.top);
    });
  }

  pickAt(x, y) {
    const picked = this.view.pick(x, y);
    this.store.set({ picked });
    return picked;
  }

  async show(picked) {
    element("picked-section").hidden = !picked;
    if (!picked) return;
    const layer = this.layers[picked.layer];
    const corners = [0, 1, 2].map((k) => layer.face_words[4 * picked.face + k]);
    element("picked-title").textContent = `Face ${formatCount(picked.face)}`;
    element("picked").replaceChildren(
      ...(this.layers.length > 1 ? [make("p", {}, layer.name)] : []),
      this.cornerTable(layer, corners),
    );
    element("picked").dataset.face = picked.face;
    element("picked").dataset.layer = picked.layer;
    element("picked-section").scrollIntoView({ block: "nearest" });
    try {
      const table = await this.valueTable(layer, picked, corners);
      if (table && this.store.state.picked === picked) element("picked").append(table);
    } catch (error) {
      notice(error.message);
    }
  }

  cornerTable(layer, corners) {
    const rows = corners.map((v) => {
      // In double: the origin may be a hundred thousand times the size of the mesh.
      const point = [0, 1, 2].map((k) => layer.origin[k] + layer.coordinates[4 * v + k]);
      return make("tr", {}, make("th", { scope: "row" }, formatCount(v)),
        ...point.map((x) => make("td", {}, formatNumber(x, 10))));
    });
    return tableOf(["Vertex", "x", "y", "z"], rows);
  }

  async valueTable(layer, picked, corners) {
    if (layer.fields.length === 0) return null;
    const rows = [];
    for (const field of layer.fields) {
      const words = await this.wordsOf(layer, field);
      rows.push(make("tr", {}, make("th", { scope: "row" }, field.name),
        ...(field.on === "face"
          ? [make("td", { colSpan: 4 }, valueText(field, words, picked.face))]
          : [make("td", {}, here(field, words, corners, picked.weights)),
             ...corners.map((v) => make("td", {}, valueText(field, words, v)))])));
    }
    const on_vertices = layer.fields.some((field) => field.on === "vertex");
    return tableOf(on_vertices ? ["Value", "here", ...corners.map(formatCount)] : ["Value", ""], rows);
  }
}

// Between the corners, where that has a meaning.
function here(field, words, corners, weights) {
  if (field.type === "rgb8" || field.categorical) {
    return valueText(field, words, corners[weights.indexOf(Math.max(...weights))]);
  }
  const value = corners.reduce((sum, v, k) => sum + weights[k] * numberOf(field, words[v]), 0);
  return formatNumber(value);
}

function tableOf(headings, rows) {
  const head = make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)));
  const table = make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
  return make("div", { className: "scroll" }, table);
}
