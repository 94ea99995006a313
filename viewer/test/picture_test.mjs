// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// What can be seen: colours, edges, layers, cuts.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";
import { cube, fan, middleOf, openSheet, sphere } from "./meshes.mjs";
import { countDifferent, countPixels } from "./png.mjs";
import { palette, SceneWriter } from "./scene.mjs";

const near = (colour, r, g, b, by = 24) => Math.abs(colour[0] - r) < by && Math.abs(colour[1] - g) < by && Math.abs(colour[2] - b) < by;
const isBoundary = (...colour) => near(colour, 0xe8, 0x59, 0x0c);
const isMany = (...colour) => near(colour, 0xc2, 0x18, 0x7a);

// Colours of the pixels in the middle of faces that can be seen, as [face, colour].
async function faceColours(opened, mesh) {
  const picture = await opened.picture();
  const places = await opened.project(mesh.faces.map((_, f) => middleOf(mesh, f)));
  // Pixels at a border are mixed: the face must be all around.
  const around = [[0, 0], [3, 0], [-3, 0], [0, 3], [0, -3]];
  const picked = await opened.picks(places.flatMap(({ x, y }) => around.map(([dx, dy]) => ({ x: x + dx, y: y + dy }))));
  const isSeen = (f) => around.every((_, k) => picked[f * around.length + k]?.face === f);
  return [...places.entries()].filter(([f]) => isSeen(f)).map(([f, { x, y }]) => [f, picture.at(x, y)]);
}

// Light scales a colour: the largest channel is made 1, in linear light.
function hue(colour) {
  const linear = colour.map((c) => (c / 255) ** 2.2);
  const most = Math.max(...linear, 1e-9);
  return linear.map((c) => c / most);
}

function assertHue(colour, expected, what) {
  const [a, b] = [hue(colour), hue(expected)];
  for (let k = 0; k < 3; ++k) assert.ok(Math.abs(a[k] - b[k]) < 0.16, `${what}: ${colour} has the hue of ${expected}`);
}

test("fields colour the faces as the colour bar says", async (browser) => {
  const mesh = sphere(300);
  const values = mesh.faces.map((_, f) => (f % 10 === 0 ? Infinity : f % 5 === 0 ? NaN : middleOf(mesh, f)[2]));
  const fields = [
    { name: "by face", on: "face", type: "float32", values },
    { name: "by vertex", on: "vertex", type: "float32", values: mesh.points.map((p) => p[2]) },
    { name: "count", on: "face", type: "uint32", values: mesh.faces.map((_, f) => f) },
  ];
  const opened = await browser.open(new SceneWriter("ball", { color: "by face" }).layer("ball", mesh, { fields }));
  const map = ([low, high], value) => {
    const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
    return [40 + 160 * t, 90 - 40 * t, 200 - 160 * t];
  };
  const finite = values.filter(Number.isFinite);
  for (const range of [[Math.min(...finite), Math.max(...finite)], [0.1, 0.4]]) {
    await opened.set({ color: "by face", range });
    const seen = await faceColours(opened, mesh);
    assert.ok(seen.length > 60);
    for (const [f, colour] of seen) {
      assertHue(colour, Number.isFinite(values[f]) ? map(range, values[f]) : [140, 140, 140], `face ${f}`);
    }
  }
  await opened.set({ color: "by vertex", range: null });
  for (const [f, colour] of await faceColours(opened, mesh)) assertHue(colour, map([-1, 1], middleOf(mesh, f)[2]), `face ${f}`);
  await opened.set({ color: "count", range: null });
  for (const [f, colour] of await faceColours(opened, mesh)) assertHue(colour, map([0, mesh.faces.length - 1], f), `face ${f}`);
  assert.equal(await opened.text("legend-title"), "count");
  assert.ok((await opened.page.locator("#legend-ticks span").count()) >= 3);
  const before = await opened.picture();
  await opened.page.locator("#colormap").selectOption("green");
  assert.ok(countDifferent(before, await opened.picture()) > 5000, "another colour map, another picture");
  await opened.close();
});

test("categories have colours of the palette, colours are themselves", async (browser) => {
  const mesh = sphere(200);
  const category = (f) => (f % 7 === 0 ? 0xffffffff : (f * 12345677) % 0xffffffff);
  const paint = (f) => [(f * 37) % 256, (f * 91) % 256, 200];
  const fields = [
    { name: "patch", on: "face", type: "uint32", categorical: true, values: mesh.faces.map((_, f) => category(f)) },
    { name: "paint", on: "face", type: "rgb8", values: mesh.faces.flatMap((_, f) => paint(f)) },
  ];
  const opened = await browser.open(new SceneWriter("ball", { color: "patch" }).layer("ball", mesh, { fields }));
  for (const [f, colour] of await faceColours(opened, mesh)) {
    const number = Number((BigInt(category(f)) * 0x9e3779b1n) & 0xffffffffn) >>> 27;
    const hex = category(f) === 0xffffffff ? "8c8c8c" : palette[number];
    assertHue(colour, [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16)), `face ${f}`);
  }
  assert.match(await opened.text("legend-categories"), /and \d+ more/);
  await opened.set({ color: "paint" });
  for (const [f, colour] of await faceColours(opened, mesh)) assertHue(colour, paint(f), `face ${f}`);
  assert.equal(await opened.isHidden("legend"), true);
  await opened.close();
});

test("boundary and non-manifold edges are lines of about two pixels", async (browser) => {
  const lengthOf = async (opened, mesh, sides) => {
    const projected = await opened.project(mesh.points);
    return sides.reduce((sum, [a, b]) => sum + Math.hypot(projected[a].x - projected[b].x, projected[a].y - projected[b].y), 0);
  };
  const mesh = openSheet();
  const users = new Map();
  for (const face of mesh.faces) {
    for (let k = 0; k < 3; ++k) {
      const side = [face[k], face[(k + 1) % 3]].sort((a, b) => a - b).join(" ");
      users.set(side, (users.get(side) ?? 0) + 1);
    }
  }
  const boundary = [...users].filter(([, count]) => count === 1).map(([side]) => side.split(" ").map(Number));
  const sheet = await browser.open(new SceneWriter("sheet").layer("sheet", mesh));
  const width = countPixels(await sheet.picture(), isBoundary) / (await lengthOf(sheet, mesh, boundary));
  assert.ok(width > 1.0 && width < 3.0, `lines are ${width} pixels wide`);
  assert.equal(countPixels(await sheet.picture(), isMany), 0);
  await sheet.press("b");
  assert.equal(countPixels(await sheet.picture(), isBoundary), 0);
  await sheet.close();

  const three = await browser.open(new SceneWriter("fan").layer("fan", fan()));
  const both = await three.picture();
  assert.ok(countPixels(both, isMany) > 0.6 * (await lengthOf(three, fan(), [[0, 1]])));
  assert.ok(countPixels(both, isBoundary) > 200);
  await three.close();

  const closed = await browser.open(new SceneWriter("cube").layer("cube", cube()));
  assert.equal(countPixels(await closed.picture(), isBoundary), 0);
  assert.match(await closed.text("edges-key"), /none/);
  await closed.close();
});

test("the bar shows the first layer left, the second right", async (browser) => {
  const opened = await browser.open(new SceneWriter("pair").layer("ball", sphere(400)).layer("box", cube()));
  const alone = [];
  for (const visible of [[true, false], [false, true]]) {
    await opened.set({ visible });
    alone.push(await opened.picture());
  }
  assert.ok(countDifferent(...alone) > 20000);
  await opened.set({ visible: [true, true], divider: 0.5 });
  const split = await opened.picture();
  for (let y = 0; y < split.height; y += 7) {
    for (let x = 0; x < split.width; x += 5) {
      if (Math.abs(x - split.width / 2) < 3) continue;
      assert.deepEqual(split.at(x, y), alone[x < split.width / 2 ? 0 : 1].at(x, y), `at ${x}, ${y}`);
    }
  }
  await opened.set({ divider: 1 });
  assert.equal(countDifferent(await opened.picture(), alone[0]), 0);
  await opened.set({ divider: 0 });
  assert.equal(countDifferent(await opened.picture(), alone[1]), 0);
  await opened.set({ compare: false });
  assert.ok(countDifferent(await opened.picture(), alone[1]) > 1000, "both at once");
  await opened.close();
});

test("a cut takes a part away", async (browser) => {
  const opened = await browser.open(new SceneWriter("ball").layer("ball", sphere(2000)));
  const whole = await opened.picture();
  const pictures = [whole];
  for (const axis of ["x", "y", "z", "view"]) {
    for (const flip of [false, true]) {
      await opened.page.locator(`input[name=clip][value=${axis}]`).check({ force: true });
      await opened.set({ clip: { ...(await opened.state()).clip, at: 0.5, flip } });
      pictures.push(await opened.picture());
    }
  }
  // The near half of a ball, seen from the front, looks like the whole.
  assert.equal(countDifferent(pictures.pop(), whole, 40), 0);
  for (let i = 0; i < pictures.length; ++i) {
    for (let j = 0; j < i; ++j) assert.ok(countDifferent(pictures[i], pictures[j]) > 2000, `pictures ${i} and ${j} differ`);
  }
  await opened.set({ clip: { axis: "off", at: 0.5, flip: false, direction: [0, 0, 1] } });
  assert.equal(countDifferent(await opened.picture(), whole), 0);
  await opened.close();
});

test("smooth shading has no steps inside", async (browser) => {
  const mesh = sphere(150);
  const opened = await browser.open(new SceneWriter("ball").layer("ball", mesh));
  const roughness = async () => {
    const picture = await opened.picture();
    let most = 0;
    for (let x = picture.width * 0.35; x < picture.width * 0.6; ++x) {
      const [a, b] = [picture.at(x, picture.height / 2), picture.at(x + 1, picture.height / 2)];
      most = Math.max(most, Math.abs(a[1] - b[1]));
    }
    return most;
  };
  const flat = await roughness();
  await opened.press("f");
  const smooth = await roughness();
  assert.ok(smooth <= 2 && flat >= 5, `flat ${flat}, smooth ${smooth}`);
  await opened.close();
});

test("smooth shading of a ball is the same from opposite sides", async (browser) => {
  const opened = await browser.open(new SceneWriter("ball", { shading: "smooth" }).layer("ball", sphere(3000)));
  for (const axis of ["x", "y", "z"]) {
    await opened.press(axis);
    const front = await opened.picture();
    await opened.press(axis);
    const different = countDifferent(front, await opened.picture(), 10);
    assert.ok(different < 2000, `${different} pixels differ along ${axis}`);
  }
  await opened.close();
});

test("faces seen from behind have another tone", async (browser) => {
  const turned = (mesh) => ({ ...mesh, faces: mesh.faces.map(([a, b, c]) => [a, c, b]) });
  const pictures = [];
  for (const mesh of [cube(), turned(cube())]) {
    const opened = await browser.open(new SceneWriter("cube").layer("cube", mesh));
    pictures.push((await opened.picture()).at(470, 400));
    await opened.close();
  }
  const [front, back] = pictures;
  assert.ok(front[2] > front[0] && back[0] > back[2], `${front} and ${back}`);
});
