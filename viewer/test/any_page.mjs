// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// What must hold for any page, whoever wrote it.
import assert from "node:assert/strict";
import { countDifferent } from "./png.mjs";

export async function checkAnyPage(browser, address) {
  const opened = await browser.open(address);
  const { page } = opened;
  assert.equal(await opened.isHidden("cover"), true, "the mesh is shown");
  const scene = JSON.parse(await page.locator("#tessera-scene").textContent());
  assert.equal(await opened.text("title"), scene.title);

  const state = await opened.state();
  const shown = await opened.picture();
  const faces = scene.layers.reduce((sum, layer) => sum + layer.faces, 0);
  await opened.set({ visible: scene.layers.map(() => false) });
  const empty = await opened.picture();
  await opened.set({ visible: state.visible });
  if (faces > 0) {
    assert.ok(countDifferent(shown, empty) > 200, "the mesh can be seen");
    await checkPicks(opened, scene);
  }
  for (const name of new Set(scene.layers.flatMap((layer) => layer.fields.map((field) => field.name)))) {
    await opened.set({ color: name, range: null });
    await page.waitForFunction(() => !document.getElementById("notice").textContent);
  }
  await opened.set({ shading: "smooth", wireframe: true });
  await opened.set({ clip: { axis: "x", at: 0.4, flip: false, direction: [0, 0, 1] } });
  await opened.drawn();
  assert.equal(await opened.isHidden("notice"), true, await page.locator("#notice").textContent());
  assert.deepEqual(opened.complaints, []);
  await opened.close();
}

// Wherever a face is picked, the pixel lies within its corners.
async function checkPicks(opened, scene) {
  const box = await opened.page.locator("#canvas").boundingBox();
  const places = [];
  for (let i = 1; i < 12; ++i) {
    for (let j = 1; j < 12; ++j) places.push({ x: (box.width * i) / 12, y: (box.height * j) / 12 });
  }
  const hits = (await opened.picks(places)).filter(Boolean);
  assert.ok(hits.length > 0, "a face can be picked");
  for (const { layer, face, weights } of hits) {
    assert.ok(face >= 0 && face < scene.layers[layer].faces, "the face exists");
    for (const weight of weights) assert.ok(weight > -0.2 && weight < 1.2, `inside the face: ${weights}`);
  }
}
