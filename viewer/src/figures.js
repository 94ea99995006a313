// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// The rows of figures and the histograms, layer beside layer.
import { element, make } from "./dom.js";
import { formatNumber } from "./numbers.js";

const histogram_names = { quality: "Quality of faces (1 is equilateral)", angle: "Angles (degrees)", edge_length: "Length of edges" };
const svg = "http://www.w3.org/2000/svg";

export function showFigures(layers) {
  element("info-section").hidden = layers.every((layer) => layer.info.length === 0);
  element("info").replaceChildren(infoTable(layers));
  const names = [...new Set(layers.flatMap((layer) => Object.keys(layer.histograms)))];
  element("histogram-section").hidden = names.length === 0;
  element("histograms").replaceChildren(...names.flatMap((name) => histogramRow(layers, name)));
}

function infoTable(layers) {
  const labels = [...new Set(layers.flatMap((layer) => layer.info.map(([label]) => label)))];
  const rows = labels.map((label) => make("tr", {}, make("th", { scope: "row" }, label),
    ...layers.map(({ info }) => make("td", {}, String(info.find(([each]) => each === label)?.[1] ?? "")))));
  const table = make("table", {}, make("tbody", {}, ...rows));
  table.style.minWidth = `${100 + 80 * layers.length}px`; // more layers than fit can be scrolled to
  if (layers.length > 1) {
    table.prepend(make("thead", {}, make("tr", {}, make("td"),
      ...layers.map(({ name }) => make("th", { scope: "col" }, name)))));
  }
  return make("div", { className: "scroll" }, table);
}

function histogramRow(layers, name) {
  const having = layers.filter((layer) => layer.histograms[name]?.counts?.length > 0);
  if (having.length === 0) return [];
  const min = Math.min(...having.map((layer) => layer.histograms[name].min));
  const max = Math.max(...having.map((layer) => layer.histograms[name].max));
  // Heights are shares of a layer for a unit of width, so that layers of different sizes compare.
  const density = ({ counts, min: low, max: high }) => {
    const sum = counts.reduce((total, count) => total + count, 0) || 1;
    const width = (high - low) / counts.length || 1;
    return counts.map((count) => count / sum / width);
  };
  const highest = Math.max(...having.flatMap((layer) => density(layer.histograms[name])));
  const charts = having.map((layer) => {
    const histogram = layer.histograms[name];
    const title = histogram_names[name] ?? name;
    return make("figure", {},
      ...(layers.length > 1 ? [make("figcaption", {}, layer.name)] : []),
      bars(histogram, density(histogram), { min, max, highest }, `${title}, ${layer.name}`),
      make("div", { className: "ends" }, make("span", {}, formatNumber(min, 4)), make("span", {}, formatNumber(max, 4))));
  });
  return [make("h3", {}, histogram_names[name] ?? name), make("div", { className: "charts" }, ...charts)];
}

function bars(histogram, heights, { min, max, highest }, label) {
  const chart = document.createElementNS(svg, "svg");
  chart.setAttribute("viewBox", "0 0 1000 100");
  chart.setAttribute("preserveAspectRatio", "none");
  chart.setAttribute("role", "img");
  chart.setAttribute("aria-label", label);
  const span = max - min || 1;
  const left = ((histogram.min - min) / span) * 1000;
  const width = ((histogram.max - histogram.min) / span / heights.length) * 1000 || 1000 / heights.length;
  heights.forEach((height, i) => {
    const tall = (height / (highest || 1)) * 96;
    const bar = document.createElementNS(svg, "rect");
    bar.setAttribute("x", left + i * width);
    bar.setAttribute("y", 100 - tall);
    bar.setAttribute("width", width * 0.9);
    bar.setAttribute("height", tall);
    const note = document.createElementNS(svg, "title");
    const from = histogram.min + ((histogram.max - histogram.min) * i) / heights.length;
    const to = histogram.min + ((histogram.max - histogram.min) * (i + 1)) / heights.length;
    note.textContent = `${formatNumber(from, 4)} to ${formatNumber(to, 4)}: ${histogram.counts[i]}`;
    bar.append(note);
    chart.append(bar);
  });
  return chart;
}
