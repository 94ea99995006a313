// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// A layer as the graphics card takes it. Vertices and faces are four 32-bit words each, in rows of
// `texture_width`: a vertex is x, y, z (bits of floats) and its packed normal; a face is its three
// vertices and the flags of its sides. These arrays are the only copy on the page's side: picking
// reads them too.
import { decodeBytes, decodeWords, texels, tight } from "./blocks.js";
import { SceneError } from "./errors.js";

export const texture_width = 4096;
const faces_at_once = 1 << 19;

export function paddedWords(count, words_each) {
  return new Uint32Array(Math.max(1, Math.ceil(count / texture_width)) * texture_width * words_each);
}

// `progress(text, share)` is awaited, so that the page can draw itself meanwhile.
export async function loadLayer(description, readBlock, progress) {
  const { name, vertices, faces } = description;
  const of = `of the layer "${name}"`;
  const step = (text) => (share) => progress(`${text} ${of}`, share);

  const vertex_words = paddedWords(vertices, 4);
  const face_words = paddedWords(faces, 4);
  await decodeWords(await readBlock(description.positions.block), description.positions, vertex_words,
    texels, `The positions ${of}`, step("Unpacking the vertices"));
  await decodeWords(await readBlock(description.triangles.block), description.triangles, face_words,
    texels, `The triangles ${of}`, step("Unpacking the triangles"));
  await checkCorners(face_words, faces, vertices, of);
  let segments = new Uint32Array(0);
  if (description.sides) {
    const sides = await decodeBytes(await readBlock(description.sides.block), description.sides,
      `The sides ${of}`, step("Unpacking the edges"));
    segments = takeSides(sides, face_words);
  }
  await packNormals(vertex_words, face_words, description, step("Computing normals"));
  return {
    ...description,
    vertex_words,
    face_words,
    coordinates: new Float32Array(vertex_words.buffer),
    segments,
    field_words: new Map(), // of each field that was asked for
  };
}

async function checkCorners(face_words, faces, vertices, of) {
  for (let i = 0; i < 4 * faces; i += 4) {
    if (face_words[i] >= vertices || face_words[i + 1] >= vertices || face_words[i + 2] >= vertices) {
      throw new SceneError(`The triangles ${of}: face ${i / 4} has a vertex that does not exist.`);
    }
  }
}

// Flags into the fourth words; the answer lists the flagged sides as 3 * face + side.
function takeSides(sides, face_words) {
  let count = 0;
  const isFlagged = (flags, side) => (flags >> side) & 9;
  for (let f = 0; f < sides.length; ++f) {
    face_words[4 * f + 3] = sides[f];
    if (sides[f]) for (let k = 0; k < 3; ++k) if (isFlagged(sides[f], k)) ++count;
  }
  const segments = new Uint32Array(count);
  let next = 0;
  for (let f = 0; f < sides.length; ++f) {
    if (sides[f]) for (let k = 0; k < 3; ++k) if (isFlagged(sides[f], k)) segments[next++] = 3 * f + k;
  }
  return segments;
}

// Sums of the faces' normals, each as long as twice its area, as two 16-bit octahedral coordinates.
async function packNormals(vertex_words, face_words, { vertices, faces, bounds }, progress) {
  const p = new Float32Array(vertex_words.buffer);
  const sums = new Float32Array(3 * vertices);
  const size = Math.max(...[0, 1, 2].map((k) => bounds[1][k] - bounds[0][k]));
  const scale = size > 0 ? 1 / size : 1; // areas of tiny and of huge meshes alike fit a float
  for (let begin = 0; begin < faces; begin += faces_at_once) {
    const end = Math.min(faces, begin + faces_at_once);
    for (let i = 4 * begin; i < 4 * end; i += 4) {
      const a = face_words[i];
      const b = face_words[i + 1];
      const c = face_words[i + 2];
      const ux = (p[4 * b] - p[4 * a]) * scale;
      const uy = (p[4 * b + 1] - p[4 * a + 1]) * scale;
      const uz = (p[4 * b + 2] - p[4 * a + 2]) * scale;
      const vx = (p[4 * c] - p[4 * a]) * scale;
      const vy = (p[4 * c + 1] - p[4 * a + 1]) * scale;
      const vz = (p[4 * c + 2] - p[4 * a + 2]) * scale;
      const x = uy * vz - uz * vy;
      const y = uz * vx - ux * vz;
      const z = ux * vy - uy * vx;
      sums[3 * a] += x;
      sums[3 * a + 1] += y;
      sums[3 * a + 2] += z;
      sums[3 * b] += x;
      sums[3 * b + 1] += y;
      sums[3 * b + 2] += z;
      sums[3 * c] += x;
      sums[3 * c + 1] += y;
      sums[3 * c + 2] += z;
    }
    await progress(end / faces);
  }
  for (let v = 0; v < vertices; ++v) {
    vertex_words[4 * v + 3] = packDirection(sums[3 * v], sums[3 * v + 1], sums[3 * v + 2]);
  }
}

function packDirection(x, y, z) {
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  if (!(sum > 0)) return 0x80008000; // no direction: along z
  let u = x / sum;
  let v = y / sum;
  if (z < 0) {
    const folded = (1 - Math.abs(v)) * (u < 0 ? -1 : 1);
    v = (1 - Math.abs(u)) * (v < 0 ? -1 : 1);
    u = folded;
  }
  return Math.round((u * 0.5 + 0.5) * 65535) | (Math.round((v * 0.5 + 0.5) * 65535) << 16);
}

// The words of a field, one for each vertex or face, unpacked when they are first asked for: bits of
// floats, numbers, or colours as r + 256 g + 65536 b.
export function loadField(layer, field, readBlock, progress) {
  if (!layer.field_words.has(field)) {
    const loading = unpackField(layer, field, readBlock, progress);
    layer.field_words.set(field, loading);
  }
  return layer.field_words.get(field);
}

async function unpackField(layer, field, readBlock, progress) {
  const what = `The field "${field.name}" of the layer "${layer.name}"`;
  const step = (share) => progress(`Unpacking the field "${field.name}"`, share);
  const elements = field.on === "vertex" ? layer.vertices : layer.faces;
  const words = paddedWords(elements, 1);
  const bytes = await readBlock(field.values.block);
  if (field.type !== "rgb8") {
    await decodeWords(bytes, field.values, words, tight, what, step);
    return words;
  }
  const channels = await decodeBytes(bytes, field.values, what, step);
  for (let i = 0; i < elements; ++i) {
    words[i] = channels[3 * i] | (channels[3 * i + 1] << 8) | (channels[3 * i + 2] << 16);
  }
  return words;
}
