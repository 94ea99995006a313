// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// How large pages are and how long they take to open, for bumpy spheres of many faces:
//   node measure.mjs --modules NODE_MODULES --viewer viewer.html [--faces N,N,...]
// Draws in software: only size and memory say something about a machine with a graphics card.
import { parseArgs } from "node:util";
import { Browser, findChromium } from "./harness.mjs";
import { encodeBytes, encodeVarint, encodeXor, SceneWriter } from "./scene.mjs";

const { values } = parseArgs({
  options: {
    modules: { type: "string" }, viewer: { type: "string" }, faces: { type: "string", default: "100000,1000000,5000000" },
  },
});

// As meshes.mjs has it, in flat arrays, with noise that no compression foresees.
function bumpySphere(wanted) {
  const rows = Math.round(Math.sqrt(wanted / 4));
  const columns = 2 * rows;
  const positions = new Float32Array(3 * ((rows + 1) * columns));
  const height = new Float32Array((rows + 1) * columns);
  for (let i = 0, v = 0; i <= rows; ++i) {
    for (let j = 0; j < columns; ++j, ++v) {
      const [polar, turn] = [(Math.PI * i) / rows, (2 * Math.PI * j) / columns];
      height[v] = 1 + 0.05 * Math.sin(9 * polar) * Math.cos(8 * turn) + (0.2 / rows) * Math.random();
      positions[3 * v] = height[v] * Math.sin(polar) * Math.cos(turn);
      positions[3 * v + 1] = height[v] * Math.cos(polar);
      positions[3 * v + 2] = height[v] * Math.sin(polar) * Math.sin(turn);
    }
  }
  const triangles = new Uint32Array(6 * rows * columns);
  let t = 0;
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) {
      const [a, b] = [i * columns + j, i * columns + ((j + 1) % columns)];
      triangles.set([a, b, b + columns, a, b + columns, a + columns], t);
      t += 6;
    }
  }
  return { positions, triangles, height };
}

function write(wanted) {
  const { positions, triangles, height } = bumpySphere(wanted);
  const writer = new SceneWriter("sphere", { color: "height", range: [0.95, 1.05] });
  writer.layer("sphere", { points: [], faces: [] });
  Object.assign(writer.scene.layers[0], {
    vertices: height.length,
    faces: triangles.length / 3,
    bounds: [[-1.06, -1.06, -1.06], [1.06, 1.06, 1.06]],
    positions: writer.array(encodeXor(new Uint32Array(positions.buffer), 3)),
    triangles: writer.array(encodeVarint(triangles)),
    sides: writer.array(encodeBytes(new Uint8Array(triangles.length / 3))),
    fields: [{
      name: "height", on: "vertex", type: "float32", categorical: false, min: 0.9, max: 1.1,
      values: writer.array(encodeXor(new Uint32Array(height.buffer), 1)),
    }],
  });
  return writer;
}

const browser = await Browser.start({ ...values, chromium: findChromium() });
console.log("| faces | page, MB | open, s | memory of the page, MB | a frame, ms | a pick, ms |");
console.log("|---|---|---|---|---|---|");
for (const wanted of values.faces.split(",").map(Number)) {
  const writer = write(wanted);
  const html = writer.page(browser.viewer);
  const address = browser.write(html);
  const opened = await browser.visit(address);
  const seconds = await opened.page.evaluate(() => window.tessera.ready.then(() => performance.now() / 1000));
  const numbers = await opened.page.evaluate(async () => {
    const { pick, timeFrame } = window.tessera;
    const frame = Math.min(timeFrame(), timeFrame(), timeFrame());
    const start = performance.now();
    pick(400, 400);
    const picking = performance.now() - start;
    return { frame, picking };
  });
  const session = await opened.context.newCDPSession(opened.page);
  await session.send("HeapProfiler.collectGarbage");
  const usage = await session.send("Runtime.getHeapUsage");
  const held = (usage.usedSize + (usage.backingStorageSize ?? 0)) / 1e6;
  console.log(`| ${writer.scene.layers[0].faces.toLocaleString("en-GB")} | ${(html.length / 1e6).toFixed(1)} | ` +
    `${seconds.toFixed(1)} | ${Math.round(held)} | ${Math.round(numbers.frame)} | ${Math.round(numbers.picking)} |`);
  await opened.close();
}
await browser.stop();
