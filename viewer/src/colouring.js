// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Colours by a field: loads it, gives it to the view, and draws the colour bar.
import { element, make, notice } from "./dom.js";
import { categoryColour, kindOf, middleRange, no_category } from "./fields.js";
import { loadField } from "./layers.js";
import { formatCount, tickLabels, ticks } from "./numbers.js";

const most_listed_categories = 16;
const most_counted_categories = 10000;
const at_once = async () => {};

export class Colouring {
  constructor(scene, layers, fields, view, store, readBlock) {
    Object.assign(this, { scene, layers, fields, view, store, readBlock });
    view.setColourMap(scene.colormaps[store.state.colormap]);
    store.subscribe((state, changed) => {
      if (changed.has("colormap")) view.setColourMap(scene.colormaps[state.colormap]);
      if (changed.has("color")) this.apply();
      else if (changed.has("range") || changed.has("colormap")) this.showRange();
    });
  }

  words(layer, field, progress = at_once) {
    return loadField(layer, field, this.readBlock, progress);
  }

  // A damaged field leaves the rest of the page usable.
  async apply(progress = at_once) {
    const name = this.store.state.color;
    for (const [i, layer] of this.layers.entries()) {
      const field = this.fields.get(name)?.of(layer);
      let words = null;
      try {
        if (field) words = await this.words(layer, field, progress);
      } catch (error) {
        notice(error.message);
      }
      if (this.store.state.color !== name) return; // another was chosen meanwhile
      if (words) this.view.gpu_layers[i].setField(kindOf(field), field.on === "face", words);
      else this.view.gpu_layers[i].setField(null, false, null);
    }
    await this.showLegend();
    this.showRange();
  }

  range() {
    const { color, range } = this.store.state;
    const field = this.fields.get(color);
    return range ?? field?.shown ?? [0, 1];
  }

  wholeRange() {
    const field = this.fields.get(this.store.state.color);
    return field ? [field.min, field.max] : null;
  }

  async middle() {
    const chosen = this.fields.get(this.store.state.color);
    const samples = [];
    for (const layer of this.layers) {
      const field = chosen?.of(layer);
      if (!field) continue;
      const count = field.on === "vertex" ? layer.vertices : layer.faces;
      samples.push({ field, words: await this.words(layer, field), count });
    }
    return middleRange(samples);
  }

  hasRange() {
    return ["float", "number"].includes(this.fields.get(this.store.state.color)?.kind);
  }

  showRange() {
    const [min, max] = this.range();
    this.view.setRange([min, max]);
    if (!this.hasRange()) return;
    const hex = this.scene.colormaps[this.store.state.colormap];
    const stops = Array.from({ length: 33 }, (_, i) => {
      const at = Math.min(255, i * 8);
      return `#${hex.slice(6 * at, 6 * at + 6)}`;
    });
    element("legend-ramp").style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const { name, min: least, max: most } = this.fields.get(this.store.state.color);
    const cut = least < min || most > max;
    element("legend-title").textContent = cut ? `${name} (values reach ${tickLabels([least, most]).join(" to ")})` : name;
    const values = ticks(min, max, 5);
    const labels = tickLabels(values);
    element("legend-ticks").replaceChildren(
      ...values.map((value, i) => {
        const mark = make("span", {}, labels[i]);
        mark.style.left = max > min ? `${((value - min) / (max - min)) * 100}%` : "50%";
        return mark;
      }),
    );
  }

  async showLegend() {
    const field = this.fields.get(this.store.state.color);
    element("legend").hidden = !field || field.kind === "colour";
    if (!field) return;
    element("legend-title").textContent = field.name;
    element("legend-bar").hidden = !this.hasRange();
    element("legend-categories").hidden = field.kind !== "category";
    if (field.kind !== "category") return;
    const { values, more } = await this.categories(field);
    const items = values.map((value) => {
      const chip = make("span", { className: "chip" });
      const colour = categoryColour(value, this.scene.palette);
      chip.style.background = colour ? `#${colour}` : "#8c8c8c";
      return make("li", {}, chip, value === no_category ? "none" : formatCount(value));
    });
    if (more > 0) {
      const many = more + values.length > most_counted_categories;
      items.push(make("li", {}, many ? "and thousands more" : `and ${formatCount(more)} more`));
    }
    element("legend-categories").replaceChildren(...items);
  }

  async categories(chosen) {
    const all = new Set();
    for (const layer of this.layers) {
      const field = chosen.of(layer);
      if (!field) continue;
      const count = field.on === "vertex" ? layer.vertices : layer.faces;
      const words = await this.words(layer, field).catch(() => []);
      for (let i = 0; i < Math.min(count, words.length); ++i) {
        all.add(words[i]);
        if (all.size > most_counted_categories) break;
      }
    }
    const sorted = [...all].sort((a, b) => a - b);
    return {
      values: sorted.slice(0, most_listed_categories),
      more: Math.max(0, sorted.length - most_listed_categories),
    };
  }
}
