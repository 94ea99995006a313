// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Blocks of data: from the page itself (base64) or from the server, inflated and decoded. The words
// go straight to where they are needed; a layout says where.
import { SceneError } from "./errors.js";

// Word i goes to (i / group) * step + i % group.
export const tight = { group: 1, step: 1 };
export const texels = { group: 3, step: 4 }; // the first three words of every four

const words_at_once = 1 << 20;

export function blockReader(document, blocks_url) {
  return async (number) => {
    if (blocks_url !== null) return fetchBlock(blocks_url + number);
    const element = document.getElementById(`tessera-block-${number}`);
    if (!element) throw new SceneError(`Block ${number} of the data is missing in this page.`);
    const bytes = fromBase64(element.textContent.trim(), number);
    element.remove(); // read once; the text is larger than what comes of it
    return bytes;
  };
}

async function fetchBlock(url) {
  let response;
  try {
    response = await fetch(url);
  } catch {
    throw new SceneError(`The server did not answer for ${url}. Is \`tessera view\` still running?`);
  }
  if (!response.ok) throw new SceneError(`The server has no ${url} (status ${response.status}).`);
  return new Uint8Array(await response.arrayBuffer());
}

function fromBase64(text, number) {
  try {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    const bytes = new Uint8Array((text.length / 4) * 3 - padding);
    const slice = 1 << 16; // a multiple of four characters
    for (let from = 0, to = 0; from < text.length; from += slice) {
      const part = atob(text.slice(from, from + slice));
      for (let i = 0; i < part.length; ++i) bytes[to++] = part.charCodeAt(i);
    }
    return bytes;
  } catch {
    throw new SceneError(`Block ${number} of the data is damaged: it is not base64.`);
  }
}

async function* inflate(bytes, what) {
  const reader = new Blob([bytes])
    .stream()
    .pipeThrough(new DecompressionStream("deflate-raw"))
    .getReader();
  for (;;) {
    let part;
    try {
      part = await reader.read();
    } catch {
      throw new SceneError(`${what}: the data is damaged and cannot be unpacked.`);
    }
    if (part.done) return;
    yield part.value;
  }
}

async function inflateExactly(bytes, size, what, progress) {
  const result = new Uint8Array(size);
  let filled = 0;
  for await (const part of inflate(bytes, what)) {
    if (filled + part.length > size) throw new SceneError(`${what}: more data than announced.`);
    result.set(part, filled);
    filled += part.length;
    await progress(filled / size);
  }
  if (filled < size) throw new SceneError(`${what}: the data ends early.`);
  return result;
}

export async function decodeBytes(bytes, array, what, progress) {
  return inflateExactly(bytes, array.count, what, progress);
}

// 32-bit words into `out`.
export async function decodeWords(bytes, array, out, layout, what, progress) {
  if (array.encoding === "xor4") return decodeXor(bytes, array, out, layout, what, progress);
  if (array.encoding === "varint") return decodeVarint(bytes, array, out, layout, what, progress);
  throw new SceneError(`${what}: "${array.encoding}" is not an encoding of 32-bit numbers.`);
}

async function decodeXor(bytes, { count, stride }, out, { group, step }, what, progress) {
  const planes = await inflateExactly(bytes, 4 * count, what, (share) => progress(share / 2));
  const last = new Uint32Array(stride);
  let lane = 0;
  let column = 0;
  let to = 0;
  for (let begin = 0; begin < count; begin += words_at_once) {
    const end = Math.min(count, begin + words_at_once);
    for (let i = begin; i < end; ++i) {
      last[lane] ^=
        planes[i] | (planes[count + i] << 8) | (planes[2 * count + i] << 16) | (planes[3 * count + i] << 24);
      out[to + column] = last[lane];
      if (++lane === stride) lane = 0;
      if (++column === group) {
        column = 0;
        to += step;
      }
    }
    await progress(0.5 + end / count / 2);
  }
}

async function decodeVarint(bytes, { count }, out, { group, step }, what, progress) {
  let value = 0; // of the number that is being read
  let shift = 0;
  let last = 0;
  let done = 0;
  let column = 0;
  let to = 0;
  for await (const part of inflate(bytes, what)) {
    for (let i = 0; i < part.length; ++i) {
      const byte = part[i];
      value |= (byte & 0x7f) << shift;
      if (byte & 0x80) {
        shift += 7;
        if (shift > 28) throw new SceneError(`${what}: a number is longer than 32 bits.`);
        continue;
      }
      last = (last + ((value >>> 1) ^ -(value & 1))) | 0;
      value = 0;
      shift = 0;
      if (done === count) throw new SceneError(`${what}: more data than announced.`);
      out[to + column] = last;
      ++done;
      if (++column === group) {
        column = 0;
        to += step;
      }
    }
    await progress(done / count);
  }
  if (done < count || shift > 0) {
    throw new SceneError(`${what}: the data ends early, ${done} of ${count} numbers.`);
  }
}
