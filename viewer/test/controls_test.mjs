// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Mouse, keyboard, panel, themes, small screens.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "./harness.mjs";
import { cube, openSheet, sphere } from "./meshes.mjs";
import { countDifferent, decodePng } from "./png.mjs";
import { SceneWriter } from "./scene.mjs";

const histogram = { min: 0, max: 1, counts: [1, 5, 9, 4] };
const values = (mesh) => [
  { name: "height", on: "vertex", type: "float32", values: mesh.points.map((p) => p[2]) },
  { name: "patch", on: "face", type: "uint32", categorical: true, values: mesh.faces.map((_, f) => f >> 4) },
];
function pair() {
  const [one, two] = [sphere(800), openSheet()];
  const histograms = { quality: histogram, angle: { ...histogram, max: 180 }, edge_length: histogram };
  return new SceneWriter("pair.obj")
    .layer("a mesh with a rather long name, as files have.obj", one, { fields: values(one), histograms, info: [["faces", "800"], ["a long label for a row", "yes"]] })
    .layer("after.obj", two, { fields: values(two), histograms, simplified: { vertices: 1e6, faces: 2e6 } });
}

test("every shortcut does what the list says", async (browser) => {
  const opened = await browser.open(pair());
  const changes = [
    ["f", "shading", "smooth"], ["f", "shading", "flat"], ["w", "wireframe", true], ["b", "edges", false],
    ["c", "color", "height"], ["c", "color", "patch"], ["c", "color", null],
    ["p", "panel", false], ["p", "panel", true], ["t", "theme", "dark"], ["t", "theme", "light"],
  ];
  for (const [key, name, expected] of changes) {
    const before = await opened.page.screenshot();
    await opened.press(key);
    assert.equal((await opened.state())[name], expected, `${key} sets ${name}`);
    assert.notDeepEqual(await opened.page.screenshot(), before, `${key} changes the page`);
  }
  await opened.press("2");
  assert.deepEqual((await opened.state()).visible, [true, false]);
  await opened.press("2");
  await opened.press("1");
  assert.deepEqual((await opened.state()).visible, [false, true]);
  await opened.press("9");
  assert.deepEqual((await opened.state()).visible, [false, true]);
  await opened.press("1");

  const first = await opened.picture();
  const views = [first];
  for (const key of ["x", "x", "y", "z"]) {
    await opened.press(key);
    views.push(await opened.picture());
  }
  for (let i = 0; i < views.length; ++i) {
    for (let j = 0; j < i; ++j) assert.ok(countDifferent(views[i], views[j]) > 500, `views ${i} and ${j} differ`);
  }
  await opened.press("r");
  assert.equal(countDifferent(await opened.picture(), first), 0, "r brings the first view back");
  for (const key of ["ArrowLeft", "ArrowUp", "+"]) {
    const before = await opened.picture();
    await opened.press(key);
    assert.ok(countDifferent(await opened.picture(), before) > 500, `${key} moves the camera`);
  }
  for (const key of ["ArrowRight", "ArrowDown", "-"]) await opened.press(key);
  assert.ok(countDifferent(await opened.picture(), first) < 500, "and back");

  await opened.press("?");
  const list = await opened.text("shortcut-list");
  for (const text of ["flat or smooth", "next field", "save a picture", "1 to 9"]) assert.ok(list.includes(text), text);
  await opened.press("f");
  assert.equal((await opened.state()).shading, "flat", "the list takes no shortcuts");
  await opened.press("Escape");
  assert.equal(await opened.isHidden("shortcuts"), true);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

test("typing in a box is not a shortcut", async (browser) => {
  const opened = await browser.open(pair());
  await opened.set({ color: "height" });
  await opened.page.locator("#range-min").focus();
  await opened.press("w");
  assert.equal((await opened.state()).wireframe, false);
  await opened.close();
});

test("mouse turns, moves and zooms; nothing is drawn at rest", async (browser) => {
  const opened = await browser.open(new SceneWriter("cube").layer("cube", cube()));
  assert.equal(await opened.page.evaluate(() => window.tessera.frames()), 1);
  const first = await opened.picture();
  const drag = async (button) => {
    await opened.page.mouse.move(400, 300);
    await opened.page.mouse.down({ button });
    await opened.page.mouse.move(480, 330, { steps: 3 });
    await opened.page.mouse.up({ button });
    return opened.picture();
  };
  const turned = await drag("left");
  assert.ok(countDifferent(first, turned) > 2000);
  const moved = await drag("right");
  assert.ok(countDifferent(turned, moved) > 2000);
  await opened.page.mouse.wheel(0, -400);
  assert.ok(countDifferent(moved, await opened.picture()) > 2000);
  const frames = await opened.page.evaluate(() => window.tessera.frames());
  await opened.page.waitForTimeout(500);
  assert.equal(await opened.page.evaluate(() => window.tessera.frames()), frames);
  await opened.close();
});

test("the bar follows the mouse and the arrow keys", async (browser) => {
  const opened = await browser.open(pair());
  const bar = opened.page.locator("#divider");
  const { x, y, width, height } = await bar.boundingBox();
  await opened.page.mouse.move(x + width / 2, y + height / 2);
  await opened.page.mouse.down();
  await opened.page.mouse.move(200, y + height / 2, { steps: 3 });
  await opened.page.mouse.up();
  const stage = await opened.page.locator("#stage").boundingBox();
  assert.ok(Math.abs((await opened.state()).divider - 200 / stage.width) < 0.01);
  await bar.focus();
  await opened.press("ArrowRight");
  assert.ok(Math.abs((await opened.state()).divider - 200 / stage.width - 0.02) < 0.01);
  await opened.press("End");
  assert.equal(await bar.getAttribute("aria-valuenow"), "100");
  await opened.page.locator("#compare").uncheck();
  assert.equal(await bar.isHidden(), true);
  await opened.close();
});

test("outliers do not take the colours at first", async (browser) => {
  const mesh = sphere(800);
  const heights = mesh.points.map((p, v) => (v === 5 ? 1000 : p[2]));
  const field = { name: "height", on: "vertex", type: "float32", values: heights, shown: [-1, 1] };
  const opened = await browser.open(new SceneWriter("ball", { color: "height" }).layer("ball", mesh, { fields: [field] }));
  const high = opened.page.locator("#range-max");
  assert.equal(await high.inputValue(), "1");
  const first = await opened.picture();
  await opened.page.locator("#range-all").click();
  assert.equal(await high.inputValue(), "1000");
  assert.ok(countDifferent(first, await opened.picture()) > 2000);
  await opened.close();
});

test("the same name on vertices and on faces", async (browser) => {
  const mesh = sphere(800);
  const fields = [
    { name: "temp", on: "vertex", type: "float32", values: mesh.points.map((p) => p[2]) },
    { name: "temp", on: "face", type: "uint32", categorical: true, values: mesh.faces.map((_, f) => f >> 4) },
  ];
  const opened = await browser.open(new SceneWriter("ball", { color: "temp" }).layer("ball", mesh, { fields }));
  const options = await opened.page.locator("#field option").allTextContents();
  assert.deepEqual(options, ["One colour", "temp (vertices)", "temp (faces)"]);
  const pictures = [await opened.picture()];
  for (const label of ["temp (faces)", "temp (vertices)"]) {
    await opened.page.locator("#field").selectOption({ label });
    await opened.drawn();
    assert.equal(await opened.text("legend-title"), label);
    assert.equal(await opened.isHidden("legend-bar"), label === "temp (faces)");
    pictures.push(await opened.picture());
  }
  assert.ok(countDifferent(pictures[0], pictures[1]) > 2000);
  assert.equal(countDifferent(pictures[0], pictures[2]), 0);
  await opened.page.mouse.click(400, 300);
  const list = opened.page.locator("#picked .values dt");
  await list.first().waitFor();
  assert.deepEqual(await list.allTextContents(), ["temp (vertices)", "temp (faces)"]);
  assert.deepEqual(opened.complaints, []);
  await opened.close();
});

test("the range can be edited", async (browser) => {
  const mesh = sphere(800);
  const heights = mesh.points.map((p, v) => (v === 5 ? 1000 : p[2]));
  const fields = [{ name: "height", on: "vertex", type: "float32", values: heights }];
  const opened = await browser.open(new SceneWriter("ball", { color: "height", range: [-2, 2] }).layer("ball", mesh, { fields }));
  assert.deepEqual((await opened.state()).range, [-2, 2]);
  const first = await opened.picture();
  const [low, high] = [opened.page.locator("#range-min"), opened.page.locator("#range-max")];
  await low.fill("0.25");
  await low.press("Enter");
  assert.deepEqual((await opened.state()).range, [0.25, 2]);
  assert.ok(countDifferent(first, await opened.picture()) > 2000);
  await high.fill("x");
  await high.press("Enter");
  assert.equal(await high.getAttribute("aria-invalid"), "true");
  assert.deepEqual((await opened.state()).range, [0.25, 2]);
  await opened.page.locator("#range-all").click();
  assert.equal(await high.inputValue(), "1000");
  await opened.page.locator("#range-middle").click();
  await opened.drawn();
  assert.ok((await opened.state()).range[1] <= 1, "the outlier is left out");
  await opened.close();
});

test("a picture is saved", async (browser) => {
  const mesh = sphere(800);
  const opened = await browser.open(new SceneWriter("my ball.obj", { color: "height" }).layer("ball", mesh, { fields: values(mesh) }));
  const [download] = await Promise.all([opened.page.waitForEvent("download"), opened.page.locator("#screenshot").click()]);
  assert.equal(download.suggestedFilename(), "my-ball.png");
  const saved = decodePng(readFileSync(await download.path()));
  const shown = await opened.picture();
  assert.deepEqual([saved.width, saved.height], [shown.width, shown.height]);
  assert.ok(countDifferent(saved, shown) < 12000, "it is what was shown, with the colour bar");
  assert.notDeepEqual(saved.at(470, 400), saved.at(20, 400));
  await opened.close();
});

test("light and dark", async (browser) => {
  const writer = new SceneWriter("cube", { theme: "auto" }).layer("cube", cube());
  const corner = async (options) => {
    const opened = await browser.open(writer, options);
    const colour = (await opened.picture()).at(5, 400);
    await opened.page.locator("#theme").click();
    await opened.drawn();
    const other = (await opened.picture()).at(5, 400);
    await opened.close();
    return [colour[1], other[1]];
  };
  const light = await corner({ colorScheme: "light" });
  const dark = await corner({ colorScheme: "dark" });
  assert.ok(light[0] > 200 && light[1] < 80, String(light));
  assert.deepEqual(dark, [...light].reverse());
});

test("a simplified mesh is called one", async (browser) => {
  const writer = new SceneWriter("big").layer("big", cube(), { simplified: { vertices: 10000000, faces: 20000000 } });
  const opened = await browser.open(writer);
  assert.equal(await opened.text("simplified"), "A simplified mesh is shown, 12 of 20,000,000 faces");
  await opened.close();
});

for (const [width, height] of [[1280, 800], [390, 844], [844, 390], [320, 568]]) {
  test(`nothing sticks out at ${width} x ${height}`, async (browser) => {
    const opened = await browser.open(pair(), { width, height, hasTouch: width < 1000 });
    for (const panel of [true, false]) {
      await opened.set({ panel, color: "height" });
      await opened.page.mouse.click(width / 3, height / 4);
      await opened.drawn();
      const wrong = await opened.page.evaluate(() => {
        const list = [];
        if (document.documentElement.scrollWidth > window.innerWidth) list.push("the page scrolls sideways");
        for (const item of document.querySelectorAll("#app *")) {
          if (item.closest(".scroll, .choice, svg, #divider, .side-name") || !item.checkVisibility()) continue;
          const { left, right, width: wide } = item.getBoundingClientRect();
          if (wide > 0 && (left < -1 || right > window.innerWidth + 1)) list.push(`${item.tagName} #${item.id} ${item.className}`);
        }
        const panel_box = document.getElementById("panel");
        if (panel_box.scrollWidth > panel_box.clientWidth) list.push("the panel scrolls sideways");
        return list;
      });
      assert.deepEqual(wrong, []);
      const { width: w, height: h } = await opened.page.locator("#canvas").boundingBox();
      assert.ok(w >= 300 && h >= 200, `the canvas is ${w} x ${h}`);
    }
    await opened.close();
  });
}

test("names for controls, contrast of text", async (browser) => {
  for (const theme of ["light", "dark"]) {
    const opened = await browser.open(new SceneWriter("pair", { theme }).layer("a", cube(), { fields: values(cube()) }).layer("b", cube()));
    const nameless = await opened.page.evaluate(() =>
      [...document.querySelectorAll("button, input, select, [role=slider]")]
        .filter((item) => !(item.getAttribute("aria-label") || item.innerText?.trim() || item.labels?.length))
        .map((item) => item.outerHTML));
    assert.deepEqual(nameless, []);
    const ratios = await opened.page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const hex = style.getPropertyValue(name).trim().slice(1);
        const [r, g, b] = [0, 2, 4].map((k) => {
          const c = parseInt(hex.slice(k, k + 2), 16) / 255;
          return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const pairs = [["--text", "--panel"], ["--quiet", "--panel"], ["--quiet", "--ground-top"], ["--quiet", "--ground-bottom"],
        ["--text", "--raised"], ["--on-accent", "--accent"], ["--accent", "--panel"], ["--warning", "--warning-ground"]];
      return pairs.map(([one, two]) => {
        const [a, b] = [light(one), light(two)].sort((p, q) => q - p);
        return [`${one} on ${two}`, (a + 0.05) / (b + 0.05)];
      });
    });
    for (const [what, ratio] of ratios) assert.ok(ratio >= 4.5, `${what}, ${theme}: ${ratio}`);
    await opened.close();
  }
});
