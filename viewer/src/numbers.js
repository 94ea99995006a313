// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// How numbers are written in the page.

export function formatCount(count) {
  return Math.round(count).toLocaleString("en-GB");
}

// About `digits` significant digits, without trailing zeros; powers of ten only where they help.
export function formatNumber(value, digits = 6) {
  if (Number.isNaN(value)) return "none";
  if (!Number.isFinite(value)) return value > 0 ? "infinity" : "-infinity";
  const size = Math.abs(value);
  const text = value.toPrecision(digits);
  if (size !== 0 && (size >= 1e7 || size < 1e-4)) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${trimZeros(mantissa)}e${Number(exponent)}`;
  }
  return trimZeros(text.includes("e") ? String(Number(text)) : text);
}

// A coordinate, which is an origin in double plus a float: the shortest decimal that tells which float.
export function formatCoordinate(origin, offset) {
  const value = origin + offset;
  const isIt = (text) => Math.fround(Number(text) - origin) === offset;
  // Places after the point first: what was 0 in the file is not -3e-8 because of the origin.
  for (let places = 0; places <= 12 && Math.abs(value) < 1e9; ++places) {
    const text = value.toFixed(places);
    if (isIt(text)) return Number(text) === 0 ? "0" : trimZeros(text);
  }
  for (let digits = 1; digits < 17; ++digits) {
    if (isIt(value.toPrecision(digits))) return formatNumber(value, digits);
  }
  return String(value);
}

function trimZeros(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

// With as many digits, four at least, as tell values apart that follow each other.
export function tickLabels(values) {
  const largest = Math.max(...values.map(Math.abs));
  const step = values.length > 1 ? values[1] - values[0] : largest;
  const place = (x) => Math.floor(Math.log10(x) + 1e-9);
  const digits = largest > 0 && step > 0 ? Math.min(17, Math.max(4, place(largest) - place(step) + 1)) : 4;
  return values.map((value) => formatNumber(value, digits));
}

// Round values in [min, max], about `wanted` of them, a step of 1, 2 or 5 times a power of ten apart.
export function ticks(min, max, wanted = 5) {
  const span = max - min;
  if (!(span > 0) || !Number.isFinite(span)) return [min];
  const rough = span / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  if (!(step > 0)) return [min];
  const result = [];
  for (let k = Math.ceil(min / step - 1e-9); k * step <= max + step * 1e-9; ++k) {
    // Through text, so that 3 * 0.1 is 0.3.
    result.push(Number((k * step).toPrecision(12)));
    if (result.length > 4 * wanted) break;
  }
  return result.length > 0 ? result : [min];
}
