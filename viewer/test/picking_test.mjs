// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// A click reports what a search through all triangles finds at that pixel.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { cube, fan, middleOf, moved, openSheet, sphere } from "./meshes.mjs";
import { SceneWriter } from "./scene.mjs";

// The nearest of all faces at a pixel: its number, -1 for none, null where a side is too near to tell.
function search(mesh, projected, x, y) {
  let best = { face: -1, depth: Infinity };
  for (const [f, face] of mesh.faces.entries()) {
    const corners = face.map((v) => projected[v]);
    const area = cross(corners[0], corners[1], corners[2]);
    if (Math.abs(area) < 1e-6) continue;
    const weights = [0, 1, 2].map((k) => cross(corners[(k + 1) % 3], corners[(k + 2) % 3], { x, y }) / area);
    for (let k = 0; k < 3; ++k) {
      if (distance(corners[k], corners[(k + 1) % 3], { x, y }) < 1) return null;
    }
    if (weights.some((weight) => weight < 0)) continue;
    const depth = corners.reduce((sum, corner, k) => sum + weights[k] * corner.depth, 0);
    if (depth < best.depth) best = { face: f, depth };
  }
  return best.face;
}

const cross = (a, b, c) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);

function distance(a, b, p) {
  const size = (b.x - a.x) ** 2 + (b.y - a.y) ** 2;
  const t = size > 0 ? Math.min(1, Math.max(0, ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / size)) : 0;
  return Math.hypot(a.x + t * (b.x - a.x) - p.x, a.y + t * (b.y - a.y) - p.y);
}

const grid = { x: 20, y: 16 };

const meshes = {
  cube: cube(), sphere: sphere(600), sheet: openSheet(), fan: fan(), "far away": moved(sphere(400), [5e6, -1e6, 3e5]),
};
for (const [name, mesh] of Object.entries(meshes)) {
  test(`picks what a search finds: ${name}`, async (browser) => {
    const opened = await browser.open(new SceneWriter(name).layer(name, mesh, { origin: mesh.points[0] }));
    const projected = await opened.project(mesh.points);
    const box = await opened.page.locator("#canvas").boundingBox();
    const found = { hits: 0, misses: 0 };
    const places = [];
    for (let i = 0; i < grid.x; ++i) {
      for (let j = 0; j < grid.y; ++j) places.push({ x: ((i + 0.5) / grid.x) * box.width, y: ((j + 0.5) / grid.y) * box.height });
    }
    const picked = await opened.picks(places);
    for (const [i, { x, y }] of places.entries()) {
      const expected = search(mesh, projected, x, y);
      if (expected === null) continue;
      assert.equal(picked[i]?.face ?? -1, expected, `at ${x}, ${y}`);
      if (expected >= 0) ++found.hits;
      else ++found.misses;
    }
    assert.ok(found.hits > 15 && found.misses > 15, JSON.stringify(found));
    assert.deepEqual(opened.complaints, []);
    await opened.close();
  });
}

test("a click shows the face, its vertices and values", async (browser) => {
  const shift = [4512345.25, -331000.5, 120];
  const mesh = moved(cube(), shift);
  const values = mesh.points.map((_, v) => (v === 0 ? NaN : v / 8));
  const fields = [
    { name: "weight", on: "vertex", type: "float32", values },
    { name: "patch", on: "face", type: "uint32", categorical: true, values: mesh.faces.map((_, f) => (f === 11 ? 0xffffffff : 70000 + f)) },
    { name: "paint", on: "face", type: "rgb8", values: mesh.faces.flatMap((_, f) => [f, 100, 255 - f]) },
    { name: "index", on: "vertex", type: "uint32", values: mesh.points.map((_, v) => 4000000000 - v) },
  ];
  const opened = await browser.open(new SceneWriter("cube").layer("cube", mesh, { fields, origin: shift }));
  const projected = await opened.project(mesh.points);
  const box = await opened.page.locator("#canvas").boundingBox();
  let seen = 0;
  for (const [f, face] of mesh.faces.entries()) {
    const [middle] = await opened.project([middleOf(mesh, f)]);
    if (search(mesh, projected, middle.x, middle.y) !== f) continue;
    ++seen;
    await opened.page.mouse.click(box.x + middle.x, box.y + middle.y);
    await opened.page.locator("#picked .values").waitFor();
    assert.equal(await opened.text("picked-title"), `Face ${f}`);
    const corners = await opened.page.locator("#picked .corners dd").allInnerTexts();
    const points = corners.map((text) => text.split(/\s+/).map(Number));
    assert.deepEqual(points, face.map((v) => mesh.points[v]));
    const shown = await opened.page.locator("#picked .values dd:not(.each)").allInnerTexts();
    const mean = face.reduce((sum, v) => sum + values[v] / 3, 0);
    if (Number.isNaN(mean)) assert.equal(shown[0], "none");
    else assert.ok(Math.abs(Number(shown[0]) - mean) < 0.01, `${shown[0]} is about ${mean}`);
    assert.equal(shown[1], f === 11 ? "none" : String(70000 + f));
    assert.equal(shown[2], `rgb ${f}, 100, ${255 - f}`);
    assert.match(shown[3], /^4e9$|^3,?999/);
  }
  assert.equal(seen, 6, "three sides of a cube can be seen");
  await opened.press("Escape");
  assert.equal(await opened.isHidden("picked-section"), true);
  await opened.close();
});

test("a coordinate is as short as in the file", async (browser) => {
  const points = [[0, 0, 0.3], [12.25, 0, 0.1], [0, 7.125, -0.3]];
  const origin = [6.125, 3.5625, 0.0123456789]; // 0.3 less this is no float
  const opened = await browser.open(new SceneWriter("one").layer("one", { points, faces: [[0, 1, 2]] }, { origin }));
  await opened.press("z");
  const [place] = await opened.project([middleOf({ points, faces: [[0, 1, 2]] }, 0)]);
  await opened.page.mouse.click(place.x, place.y);
  const shown = await opened.page.locator("#picked .corners dd").allInnerTexts();
  assert.deepEqual(shown.map((text) => text.split(/\s+/)), points.map((point) => point.map(String)));
  await opened.close();
});

test("a drag is not a click", async (browser) => {
  const opened = await browser.open(new SceneWriter("cube").layer("cube", cube()));
  await opened.page.mouse.move(470, 400);
  await opened.page.mouse.down();
  await opened.page.mouse.move(520, 420, { steps: 4 });
  await opened.page.mouse.up();
  assert.equal((await opened.state()).picked, null);
  await opened.close();
});

test("a tap picks on a touch screen", async (browser) => {
  const opened = await browser.open(new SceneWriter("cube").layer("cube", cube()), { width: 390, height: 844, hasTouch: true });
  await opened.page.touchscreen.tap(195, 420);
  assert.notEqual((await opened.state()).picked, null);
  await opened.close();
});

test("layers, the bar and the cut decide what a click meets", async (browser) => {
  const writer = new SceneWriter("pair").layer("left", sphere(600)).layer("right", sphere(600));
  const opened = await browser.open(writer);
  const box = await opened.page.locator("#canvas").boundingBox();
  const [left, right, y] = [box.width * 0.42, box.width * 0.58, box.height / 2];
  const layerAt = async (x) => (await opened.pick(x, y))?.layer ?? null;
  assert.deepEqual([await layerAt(left), await layerAt(right)], [0, 1]);
  await opened.set({ divider: 0.9 });
  assert.deepEqual([await layerAt(left), await layerAt(right)], [0, 0]);
  await opened.set({ visible: [false, true] });
  assert.deepEqual([await layerAt(left), await layerAt(right)], [1, 1]);
  await opened.set({ visible: [false, false] });
  assert.deepEqual([await layerAt(left), await layerAt(right)], [null, null]);

  await opened.set({ visible: [true, false] });
  const mesh = sphere(600);
  for (const flip of [false, true]) {
    await opened.set({ clip: { axis: "x", at: 0.3, flip, direction: [0, 0, 1] } });
    const places = [];
    for (let i = 0; i < 30; ++i) for (let j = 0; j < 30; ++j) places.push({ x: (box.width * i) / 30, y: (box.height * j) / 30 });
    const hits = (await opened.picks(places)).filter(Boolean);
    const xs = hits.map(({ face, weights }) => mesh.faces[face].reduce((sum, v, k) => sum + weights[k] * mesh.points[v][0], 0));
    assert.ok(xs.every((x) => (flip ? x >= -0.4001 : x <= -0.3999)), `flip ${flip}: ${xs}`);
    assert.ok(xs.some((x) => Math.abs(x + 0.4) < 0.05), `all up to the plane is there, flip ${flip}: ${xs}`);
  }
  await opened.close();
});
