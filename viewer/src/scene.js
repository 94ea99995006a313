// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Reads and checks the description of the scene, so that wrong data gets a sentence, not a blank page.
import { SceneError } from "./errors.js";

const known_version = 1;
const encodings = new Set(["xor4", "varint", "bytes"]);
const grey_ramp = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0").repeat(3)).join("");

function require(condition, message) {
  if (!condition) throw new SceneError(message);
}

const isCount = (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32;
const isPoint = (value) => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);

export function readScene(document) {
  const element = document.getElementById("tessera-scene");
  require(element, "This page has no mesh in it. The program writes pages with `tessera view`.");
  let scene;
  try {
    scene = JSON.parse(element.textContent);
  } catch (error) {
    throw new SceneError(`The description of the scene is damaged (${error.message}).`);
  }
  return checkScene(scene);
}

export function checkScene(scene) {
  require(scene && typeof scene === "object", "The description of the scene is damaged.");
  require(
    scene.version === known_version,
    `The data has version ${scene.version}; this page reads version ${known_version}.`,
  );
  require(
    Array.isArray(scene.layers) && scene.layers.length > 0,
    "The description of the scene lists no layers.",
  );
  scene.layers.forEach(checkLayer);
  const colormaps = {};
  for (const [name, hex] of Object.entries(scene.colormaps ?? {})) {
    require(/^[0-9a-fA-F]{1536}$/.test(hex), `The colour map "${name}" does not have 256 colours.`);
    colormaps[name] = hex;
  }
  if (Object.keys(colormaps).length === 0) colormaps.grey = grey_ramp;
  const palette = scene.palette ?? [];
  require(
    palette.length === 32 && palette.every((colour) => /^[0-9a-fA-F]{6}$/.test(colour)),
    "The palette does not have 32 colours.",
  );
  return { title: "mesh", blocks_url: null, ...scene, settings: scene.settings ?? {}, colormaps, palette };
}

function checkLayer(layer, number) {
  const name = layer?.name ?? `number ${number + 1}`;
  const of = `of the layer "${name}"`;
  require(isCount(layer?.vertices), `The number of vertices ${of} is missing.`);
  require(isCount(layer.faces), `The number of faces ${of} is missing.`);
  require(isPoint(layer.origin), `The origin ${of} is not a point.`);
  require(
    Array.isArray(layer.bounds) && layer.bounds.length === 2 && layer.bounds.every(isPoint),
    `The bounds ${of} are not two points.`,
  );
  checkArray(layer.positions, 3 * layer.vertices, `The positions ${of}`);
  checkArray(layer.triangles, 3 * layer.faces, `The triangles ${of}`);
  if (layer.sides) checkArray(layer.sides, layer.faces, `The sides ${of}`);
  layer.name = name;
  layer.fields ??= [];
  for (const field of layer.fields) {
    const what = `The field "${field.name}" ${of}`;
    require(field.on === "vertex" || field.on === "face", `${what} is neither on vertices nor on faces.`);
    require(
      ["float32", "uint32", "rgb8"].includes(field.type),
      `${what} has the type "${field.type}", which this page does not know.`,
    );
    const elements = field.on === "vertex" ? layer.vertices : layer.faces;
    checkArray(field.values, field.type === "rgb8" ? 3 * elements : elements, what);
  }
  layer.info ??= [];
  layer.histograms ??= {};
}

function checkArray(array, count, what) {
  require(array && isCount(array.block), `${what} have no data.`.replace(/^(The field.*) have no/, "$1 has no"));
  require(
    encodings.has(array.encoding),
    `${what}: this page does not know the encoding "${array.encoding}".`,
  );
  require(
    array.encoding !== "xor4" || (isCount(array.stride) && array.stride > 0),
    `${what}: the stride is missing.`,
  );
  require(array.count === count, `${what}: ${array.count} numbers where ${count} are needed.`);
}
