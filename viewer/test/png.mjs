// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Reads the PNG files that the browser makes: eight bits a channel, RGB or RGBA, not interlaced.
import { inflateSync } from "node:zlib";

export function decodePng(file) {
  let [width, height, channels] = [0, 0, 0];
  const parts = [];
  for (let at = 8; at < file.length; ) {
    const size = file.readUInt32BE(at);
    const kind = file.toString("latin1", at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + size);
    if (kind === "IHDR") {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = { 2: 3, 6: 4 }[data[9]];
      if (data[8] !== 8 || !channels || data[12] !== 0) throw new Error("not a PNG file of this kind");
    }
    if (kind === "IDAT") parts.push(data);
    at += size + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const row = width * channels;
  const pixels = new Uint8Array(height * row);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; ++x) {
      const left = x >= channels ? pixels[y * row + x - channels] : 0;
      const above = y > 0 ? pixels[(y - 1) * row + x] : 0;
      const corner = x >= channels && y > 0 ? pixels[(y - 1) * row + x - channels] : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      pixels[y * row + x] = raw[y * (row + 1) + 1 + x] + guess;
    }
  }
  return {
    width,
    height,
    at(x, y) {
      const i = Math.floor(y) * row + Math.floor(x) * channels;
      return [pixels[i], pixels[i + 1], pixels[i + 2]];
    },
  };
}

function paeth(left, above, corner) {
  const guess = left + above - corner;
  const [l, a, c] = [left, above, corner].map((each) => Math.abs(guess - each));
  if (l <= a && l <= c) return left;
  return a <= c ? above : corner;
}

// How many pixels differ by more than `by` in a channel.
export function countDifferent(one, two, by = 8) {
  if (one.width !== two.width || one.height !== two.height) return Infinity;
  let count = 0;
  for (let y = 0; y < one.height; ++y) {
    for (let x = 0; x < one.width; ++x) {
      const [a, b] = [one.at(x, y), two.at(x, y)];
      if (a.some((value, k) => Math.abs(value - b[k]) > by)) ++count;
    }
  }
  return count;
}

export function countPixels(picture, matches) {
  let count = 0;
  for (let y = 0; y < picture.height; ++y) {
    for (let x = 0; x < picture.width; ++x) if (matches(...picture.at(x, y))) ++count;
  }
  return count;
}
