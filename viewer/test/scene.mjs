// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Writes pages in the format of docs/viewer.md from plain meshes: a second, independent writer beside
// the one of the program.
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";

const hex = (...channels) => channels.map((c) => Math.round(c).toString(16).padStart(2, "0")).join("");
const ramp = (from, to) => {
  const mix = (i, k) => from[k] + ((to[k] - from[k]) * i) / 255;
  return Array.from({ length: 256 }, (_, i) => hex(mix(i, 0), mix(i, 1), mix(i, 2))).join("");
};
export const colormaps = {
  blue_red: ramp([40, 90, 200], [200, 50, 40]),
  green: ramp([20, 30, 60], [190, 240, 120]),
};
export const palette = Array.from({ length: 32 }, (_, i) => {
  const wave = (shift) => 140 + 90 * Math.cos(2 * Math.PI * (i * 0.38 + shift));
  return hex(wave(0), wave(1 / 3), wave(2 / 3));
});

export function encodeXor(words, stride) {
  const n = words.length;
  const bytes = new Uint8Array(4 * n);
  for (let i = 0; i < n; ++i) {
    const d = words[i] ^ (i < stride ? 0 : words[i - stride]);
    for (let k = 0; k < 4; ++k) bytes[k * n + i] = (d >>> (8 * k)) & 255;
  }
  return { bytes, encoding: "xor4", stride, count: n };
}

export function encodeVarint(words) {
  const bytes = new Uint8Array(5 * words.length);
  let size = 0;
  let last = 0;
  for (const word of words) {
    const difference = (word - last) | 0;
    let zigzag = ((difference << 1) ^ (difference >> 31)) >>> 0;
    for (; zigzag >= 128; zigzag >>>= 7) bytes[size++] = (zigzag & 127) | 128;
    bytes[size++] = zigzag;
    last = word;
  }
  return { bytes: bytes.subarray(0, size), encoding: "varint", stride: 1, count: words.length };
}

export function encodeBytes(values) {
  return { bytes: Uint8Array.from(values), encoding: "bytes", stride: 1, count: values.length };
}

function sidesOf(faces) {
  const users = new Map();
  const name = (a, b) => (a < b ? `${a} ${b}` : `${b} ${a}`);
  for (const face of faces) {
    for (let k = 0; k < 3; ++k) {
      const side = name(face[k], face[(k + 1) % 3]);
      users.set(side, (users.get(side) ?? 0) + 1);
    }
  }
  return faces.map((face) => {
    let flags = 0;
    for (let k = 0; k < 3; ++k) {
      const count = users.get(name(face[k], face[(k + 1) % 3]));
      if (count === 1) flags |= 1 << k;
      if (count > 2) flags |= 8 << k;
    }
    return flags;
  });
}

// A scene under construction: `layer` adds one, `page` and `blocks` give the result.
export class SceneWriter {
  constructor(title, settings = {}) {
    this.blocks = [];
    this.scene = {
      version: 1, title, blocks_url: null, colormaps, palette,
      settings: {
        color: null, range: null, colormap: "blue_red", shading: "flat", edges: false, theme: "light", ...settings,
      },
      layers: [],
    };
  }

  array({ bytes, ...description }) {
    this.blocks.push(deflateRawSync(bytes));
    return { block: this.blocks.length - 1, ...description };
  }

  // Fields: { name, on, type, categorical, values }. `arrays` may replace sides by null.
  layer(name, mesh, { fields = [], origin = [0, 0, 0], sides = true, ...more } = {}) {
    const positions = Float32Array.from(mesh.points.flat().map((x, i) => x - origin[i % 3]));
    const corners = mesh.faces.flat().map((v) => mesh.points[v]);
    const low = [0, 1, 2].map((k) => corners.reduce((least, p) => Math.min(least, p[k] - origin[k]), Infinity));
    const high = [0, 1, 2].map((k) => corners.reduce((most, p) => Math.max(most, p[k] - origin[k]), -Infinity));
    this.scene.layers.push({
      name, vertices: mesh.points.length, faces: mesh.faces.length, simplified: null, origin,
      bounds: mesh.faces.length > 0 ? [low, high] : [[0, 0, 0], [0, 0, 0]],
      positions: this.array(encodeXor(new Uint32Array(positions.buffer), 3)),
      triangles: this.array(encodeVarint(mesh.faces.flat())),
      sides: sides ? this.array(encodeBytes(sidesOf(mesh.faces))) : null,
      fields: fields.map((field) => this.field(field)),
      info: [["faces", String(mesh.faces.length)], ["vertices", String(mesh.points.length)]],
      histograms: {},
      ...more,
    });
    return this;
  }

  field({ name, on, type, categorical = false, values, shown }) {
    const finite = values.filter(Number.isFinite);
    let encoded = null;
    if (type === "float32") encoded = encodeXor(new Uint32Array(Float32Array.from(values).buffer), 1);
    else if (type === "uint32") encoded = encodeVarint(values);
    else encoded = encodeBytes(values);
    return {
      name, on, type, categorical, values: this.array(encoded),
      min: finite.reduce((a, b) => Math.min(a, b), Infinity), max: finite.reduce((a, b) => Math.max(a, b), -Infinity),
      shown,
    };
  }

  page(viewer_file) {
    const json = JSON.stringify(this.scene).replaceAll("<", "\\u003c");
    const scripts = [`<script type="application/json" id="tessera-scene">${json}</script>`];
    if (this.scene.blocks_url === null) {
      this.blocks.forEach((block, i) => {
        scripts.push(`<script type="application/octet-stream" id="tessera-block-${i}">${block.toString("base64")}</script>`);
      });
    }
    return readFileSync(viewer_file, "utf8").replace("<!--TESSERA-SCENE-->", () => scripts.join("\n"));
  }
}
