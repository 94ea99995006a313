// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// The bar between two layers: the first of them left of it, the second right.
import { element } from "./dom.js";

const step = 0.02; // of the width, for arrow keys

export class Divider {
  constructor(layers, store) {
    Object.assign(this, { layers, store, bar: element("divider") });
    this.bar.addEventListener("pointerdown", (event) => this.bar.setPointerCapture(event.pointerId));
    this.bar.addEventListener("pointermove", (event) => {
      if (!this.bar.hasPointerCapture(event.pointerId)) return;
      const frame = element("stage").getBoundingClientRect();
      this.move((event.clientX - frame.left) / frame.width);
    });
    this.bar.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -step, ArrowRight: step, Home: -1, End: 1 }[event.key];
      if (way === undefined) return;
      event.preventDefault();
      this.move(store.state.divider + way);
    });
    store.subscribe((state, changed) => {
      if (["divider", "compare", "visible"].some((name) => changed.has(name))) this.show();
    });
    this.show();
  }

  move(place) {
    this.store.set({ divider: Math.min(1, Math.max(0, place)) });
  }

  show() {
    const { compare, visible, divider } = this.store.state;
    const shown = this.layers.filter((_, i) => visible[i]);
    const on = compare && shown.length > 1;
    this.bar.hidden = !on;
    for (const id of ["left-name", "right-name"]) element(id).hidden = !on;
    if (!on) return;
    this.bar.style.left = `${divider * 100}%`;
    this.bar.setAttribute("aria-valuenow", Math.round(divider * 100));
    element("left-name").textContent = shown[0].name;
    element("right-name").textContent = shown[1].name;
    element("left-name").style.right = `calc(${(1 - divider) * 100}% + 22px)`;
    element("right-name").style.left = `calc(${divider * 100}% + 22px)`;
  }
}
