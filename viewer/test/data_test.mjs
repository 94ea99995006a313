// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Data: from a file, from a server, empty, damaged.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "./harness.mjs";
import { checkAnyPage } from "./any_page.mjs";
import { cube, fan, moved, openSheet, sphere } from "./meshes.mjs";
import { encodeVarint, SceneWriter } from "./scene.mjs";

const scene = (mesh = cube(), more = {}) => new SceneWriter("mesh.obj").layer("mesh.obj", mesh, more);
const heights = (mesh) => ({ name: "height", on: "vertex", type: "float32", values: mesh.points.map((p) => p[2]) });

for (const [name, mesh] of Object.entries({ cube: cube(), sphere: sphere(2000), "open sheet": openSheet(), "non-manifold fan": fan(), "far away": moved(sphere(500), [4e6, -3e6, 2e5]), tiny: sphere(500, 1e-18), huge: sphere(500, 1e15) })) {
  test(`file, ${name}`, async (browser) => {
    const origin = mesh.points[0];
    await checkAnyPage(browser, browser.write(scene(mesh, { origin, fields: [heights(mesh)] }).page(browser.viewer)));
  });
}

test("vertices without faces do not count", async (browser) => {
  const mesh = sphere(2000);
  mesh.points.push([1e6, 0, -1e6]);
  await checkAnyPage(browser, browser.write(scene(mesh, { fields: [heights(mesh)] }).page(browser.viewer)));
});

test("file, two layers", async (browser) => {
  const both = scene().layer("second", sphere(300), { fields: [heights(sphere(300))], sides: false });
  await checkAnyPage(browser, browser.write(both.page(browser.viewer)));
});

test("file, no faces", async (browser) => {
  await checkAnyPage(browser, browser.write(scene({ points: [], faces: [] }).page(browser.viewer)));
  await checkAnyPage(browser, browser.write(scene({ points: [[1, 2, 3]], faces: [] }).page(browser.viewer)));
});

test("a name with marks of HTML is text", async (browser) => {
  const title = "</script><b>&amp;<!--<script>";
  const opened = await browser.open(new SceneWriter(title).layer(title, cube()).layer("b", cube()));
  assert.equal(await opened.text("title"), title);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

async function serve(writer, viewer, missing, body) {
  writer.scene.blocks_url = "data/";
  const server = createServer((request, response) => {
    const block = /^\/data\/(\d+)$/.exec(request.url)?.[1];
    if (request.url === "/") response.setHeader("content-type", "text/html; charset=utf-8").end(writer.page(viewer));
    else if (block !== undefined && Number(block) !== missing) response.end(writer.blocks[Number(block)]);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await body(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("served by http", async (browser) => {
  const mesh = sphere(3000);
  await serve(scene(mesh, { fields: [heights(mesh)] }), browser.viewer, -1, (address) => checkAnyPage(browser, address));
});

async function messageOf(browser, what) {
  const opened = await browser.visit(what);
  await opened.page.locator("#cover.failed").waitFor({ timeout: 10000 });
  const message = await opened.text("cover-text");
  assert.equal(await opened.isHidden("cover"), false);
  const uncaught = opened.complaints.filter((text) => !text.includes("404"));
  assert.deepEqual(uncaught, []);
  await opened.close();
  return message;
}

test("served by http, a block is missing", async (browser) => {
  await serve(scene(), browser.viewer, 1, async (address) => {
    assert.match(await messageOf(browser, address), /no data\/1 \(status 404\)/);
  });
});

const damages = {
  "no scene": [/no mesh in it/, (html) => html.replace('id="tessera-scene"', 'id="other"')],
  "not JSON": [/description of the scene is damaged/, (html) => html.replace('{"version"', '{"version')],
  "no block": [/Block 0 .* missing/, (html) => html.replace("tessera-block-0", "nothing")],
  "not base64": [/Block 1 .* not base64/, (html) => html.replace(/(id="tessera-block-1">)/, "$1***")],
  "another version": [/version 2/, (_, writer) => { writer.scene.version = 2; }],
  "no layers": [/no layers/, (_, writer) => { writer.scene.layers = []; }],
  "a short palette": [/palette/, (_, writer) => { writer.scene.palette = ["000000"]; }],
  "wrong count": [/10 numbers where 24 are needed/, (_, writer) => { writer.scene.layers[0].positions.count = 10; }],
  "unknown encoding": [/does not know the encoding "zip"/, (_, writer) => { writer.scene.layers[0].triangles.encoding = "zip"; }],
  "too little data": [/ends early, 33 of 36/, (_, writer) => { replaceTriangles(writer, cube().faces.flat().slice(3)); }],
  "too much data": [/more data than announced/, (_, writer) => { replaceTriangles(writer, [...cube().faces.flat(), 1]); }],
  "too few bytes": [/positions .* ends early/, (_, writer) => { writer.blocks[0] = writer.array({ bytes: new Uint8Array(7) }) && writer.blocks.at(-1); }],
  "a vertex that does not exist": [/face 11 has a vertex that does not exist/, (_, writer) => { replaceTriangles(writer, [...cube().faces.flat().slice(0, -1), 8]); }],
  "not deflated": [/damaged and cannot be unpacked/, (_, writer) => { writer.blocks[1] = Buffer.from([7, 7, 7, 7, 7, 7, 7, 7]); }],
  "cut off": [/damaged|ends early/, (_, writer) => { writer.blocks[1] = writer.blocks[1].subarray(0, writer.blocks[1].length - 4); }],
};

function replaceTriangles(writer, words) {
  writer.array(encodeVarint(words));
  writer.blocks[1] = writer.blocks.at(-1);
}

for (const [name, [expected, damage]] of Object.entries(damages)) {
  test(`damaged: ${name}`, async (browser) => {
    const writer = scene();
    damage("", writer);
    const html = writer.page(browser.viewer);
    const damaged = damage(html, scene());
    assert.match(await messageOf(browser, browser.write(damaged ?? html)), expected);
  });
}

test("damaged: a field leaves the rest usable", async (browser) => {
  const writer = scene(cube(), { fields: [heights(cube())] });
  writer.blocks[writer.scene.layers[0].fields[0].values.block] = Buffer.from([7, 7, 7]);
  const opened = await browser.open(writer);
  await opened.set({ color: "height" });
  await opened.page.locator("#notice").waitFor();
  assert.match(await opened.text("notice"), /"height".*damaged/);
  assert.equal(await opened.isHidden("cover"), true);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});
