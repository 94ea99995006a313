// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Fields of all layers by name, and the colours of their values.
import { formatCount, formatNumber } from "./numbers.js";

export const no_category = 0xffffffff;

// The name, and where it is if the layer has that name on its vertices and on its faces.
export function labelOf(layer, field) {
  const twice = layer.fields.some(({ name, on }) => name === field.name && on !== field.on);
  return twice ? `${field.name} (${field.on === "vertex" ? "vertices" : "faces"})` : field.name;
}

// One entry for each name, or two where a layer has it on its vertices and on its faces; `of(layer)`
// finds the field. Its range covers all layers that have the field, and so does the part of it that
// colours are spread over at first.
export function listFields(layers) {
  const labels = new Map(); // of those with two entries
  for (const layer of layers) {
    for (const field of layer.fields) {
      const label = labelOf(layer, field);
      if (label !== field.name) labels.set(keyOf(field.name, field.on), label);
    }
  }
  const fields = new Map();
  for (const layer of layers) {
    for (const field of layer.fields) {
      const { name, on } = field;
      const label = labels.get(keyOf(name, on));
      // The one on the vertices keeps its name as key: pages ask for it by that.
      const key = label && on === "face" ? keyOf(name, on) : name;
      const known = fields.get(key);
      const min = Number.isFinite(field.min) ? field.min : Infinity;
      const max = Number.isFinite(field.max) ? field.max : -Infinity;
      const shown = field.shown ?? [min, max];
      if (!known) {
        const of = ({ fields: all }) => all.find((each) => each.name === name && (!label || each.on === on));
        fields.set(key, { name: label ?? name, kind: kindOf(field), min, max, shown: [...shown], of });
      } else {
        known.min = Math.min(known.min, min);
        known.max = Math.max(known.max, max);
        known.shown[0] = Math.min(known.shown[0], shown[0]);
        known.shown[1] = Math.max(known.shown[1], shown[1]);
      }
    }
  }
  for (const field of fields.values()) {
    if (!(field.min <= field.max)) [field.min, field.max] = [0, 1];
    if (!(field.shown[0] <= field.shown[1])) field.shown = [field.min, field.max];
  }
  return fields;
}

const keyOf = (name, on) => `${name}\0${on}`;

export function kindOf(field) {
  if (field.type === "rgb8") return "colour";
  if (field.categorical) return "category";
  return field.type === "float32" ? "float" : "number";
}

export function categoryColour(value, palette) {
  return value === no_category ? null : palette[Math.imul(value, 0x9e3779b1) >>> 27];
}

// The value of element i, as text.
export function valueText(field, words, i) {
  const word = words[i];
  if (field.type === "rgb8") return `rgb ${word & 255}, ${(word >> 8) & 255}, ${(word >> 16) & 255}`;
  if (field.type === "float32") return formatNumber(asFloat(word));
  if (field.categorical) return word === no_category ? "none" : String(word);
  return formatCount(word);
}

export function numberOf(field, word) {
  return field.type === "float32" ? asFloat(word) : word;
}

const one_word = new Uint32Array(1);
const one_float = new Float32Array(one_word.buffer);
function asFloat(word) {
  one_word[0] = word;
  return one_float[0];
}

// The range that leaves out `share` of the values at each end, from at most 100,000 of them.
export function middleRange(samples, share = 0.02) {
  const values = [];
  for (const { field, words, count } of samples) {
    const step = Math.max(1, Math.floor(count / (100000 / samples.length)));
    for (let i = 0; i < count; i += step) {
      const value = numberOf(field, words[i]);
      if (Number.isFinite(value)) values.push(value);
    }
  }
  if (values.length === 0) return null;
  values.sort((a, b) => a - b);
  const at = (position) => values[Math.round(position * (values.length - 1))];
  const range = [at(share), at(1 - share)];
  return range[0] < range[1] ? range : null;
}
