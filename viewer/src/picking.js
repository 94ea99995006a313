// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// A click on the mesh: which face it is, its vertices, the values there.
import { element, make, notice } from "./dom.js";
import { labelOf, numberOf, valueText } from "./fields.js";
import { formatCount, formatNumber, formatCoordinate } from "./numbers.js";

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
      this.cornerList(layer, corners),
    );
    element("picked").dataset.face = picked.face;
    element("picked").dataset.layer = picked.layer;
    element("picked-section").scrollIntoView({ block: "nearest" });
    try {
      const list = await this.valueList(layer, picked, corners);
      if (this.store.state.picked === picked) element("picked").append(list);
    } catch (error) {
      notice(error.message);
    }
  }

  cornerList(layer, corners) {
    return make("dl", { className: "corners" }, ...corners.flatMap((v) => {
      // In double: the origin may be a hundred thousand times the size of the mesh.
      const point = [0, 1, 2].map((k) => formatCoordinate(layer.origin[k], layer.coordinates[4 * v + k]));
      return [make("dt", {}, `Vertex ${formatCount(v)}`), make("dd", {}, ...point.map((x) => make("span", {}, x)))];
    }));
  }

  async valueList(layer, picked, corners) {
    const items = [];
    for (const field of layer.fields) {
      const words = await this.wordsOf(layer, field);
      const value = field.on === "face" ? valueText(field, words, picked.face) : here(field, words, corners, picked.weights);
      items.push(make("dt", {}, labelOf(layer, field)), make("dd", {}, value));
      if (field.on === "vertex") {
        const each = corners.map((v) => make("span", {}, valueText(field, words, v)));
        items.push(make("dd", { className: "each", title: "at the three vertices" }, ...each));
      }
    }
    return make("dl", { className: "values" }, ...items);
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
