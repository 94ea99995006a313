// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// The picture as a PNG file: the canvas over its background, with the colour bar.
import { make } from "./dom.js";
import { tickLabels, ticks } from "./numbers.js";

export async function saveScreenshot(scene, view, store, fields, colouring) {
  const picture = compose(scene, view, store, fields, colouring);
  const blob = await new Promise((resolve) => picture.toBlob(resolve, "image/png"));
  const url = URL.createObjectURL(blob);
  const name = scene.title.replace(/\.[a-z0-9]{1,5}$/i, "").replace(/[^\p{L}\p{N}._-]+/gu, "-") || "mesh";
  make("a", { href: url, download: `${name}.png` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function compose(scene, view, store, fields, colouring) {
  view.draw(); // what is in the canvas is only sure to be there until the next frame
  const source = view.canvas;
  const picture = make("canvas", { width: source.width, height: source.height });
  const paint = picture.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const ground = paint.createLinearGradient(0, 0, 0, picture.height);
  ground.addColorStop(0, colour("--ground-top"));
  ground.addColorStop(1, colour("--ground-bottom"));
  paint.fillStyle = ground;
  paint.fillRect(0, 0, picture.width, picture.height);
  paint.drawImage(source, 0, 0);
  if (colouring.hasRange()) paintBar(paint, picture.height, colour("--text"), scene, store, fields, colouring);
  return picture;
}

function paintBar(paint, height, text_colour, scene, store, fields, colouring) {
  const unit = Math.max(1, window.devicePixelRatio);
  const [left, top, width, thick] = [20 * unit, height - 52 * unit, 280 * unit, 12 * unit];
  const hex = scene.colormaps[store.state.colormap];
  for (let x = 0; x < width; ++x) {
    const at = Math.min(255, Math.floor((x / width) * 256));
    paint.fillStyle = `#${hex.slice(6 * at, 6 * at + 6)}`;
    paint.fillRect(left + x, top, 1, thick);
  }
  paint.fillStyle = text_colour;
  paint.font = `${12 * unit}px system-ui, sans-serif`;
  paint.fillText(fields.get(store.state.color).name, left, top - 8 * unit);
  paint.textAlign = "center";
  const [min, max] = colouring.range();
  const values = ticks(min, max, 5);
  const labels = tickLabels(values);
  for (const [i, value] of values.entries()) {
    const x = left + (max > min ? (value - min) / (max - min) : 0.5) * width;
    paint.fillRect(x, top + thick, unit, 4 * unit);
    paint.fillText(labels[i], x, top + thick + 18 * unit);
  }
}
