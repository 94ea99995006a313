// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

import { blockReader } from "./blocks.js";
import { Colouring } from "./colouring.js";
import { bindControls } from "./controls.js";
import { Divider } from "./divider.js";
import { element } from "./dom.js";
import { SceneError } from "./errors.js";
import { listFields } from "./fields.js";
import { showFigures } from "./figures.js";
import { bindKeys } from "./keys.js";
import { loadLayer } from "./layers.js";
import { Picking } from "./picking.js";
import { readScene } from "./scene.js";
import { createStore } from "./store.js";
import { applyTheme } from "./theme.js";
import { makeRenderer, View } from "./view.js";


// Shows how far the opening is, and lets the browser draw about ten times a second.
function coverProgress() {
  let last = 0;
  return async (text, share) => {
    if (performance.now() - last < 100) return;
    element("cover-text").textContent = text;
    if (share >= 0 && share <= 1) element("cover-progress").value = share;
    await new Promise((resolve) => setTimeout(resolve));
    last = performance.now();
  };
}

function showFailure(error) {
  const known = error instanceof SceneError;
  if (!known) console.error(error);
  element("cover").hidden = false;
  element("cover").classList.add("failed");
  element("cover-title").textContent = "This mesh cannot be shown";
  element("cover-text").textContent = known ? error.message : `Something in the page failed: ${error.message}`;
  element("cover-text").setAttribute("role", "alert");
  element("cover-progress").hidden = true;
}

function firstState(scene, fields) {
  const { settings } = scene;
  const colormap = settings.colormap in scene.colormaps ? settings.colormap : Object.keys(scene.colormaps)[0];
  const color = fields.has(settings.color) ? settings.color : null;
  return {
    visible: scene.layers.map(() => true),
    compare: scene.layers.length > 1,
    divider: 0.5,
    shading: settings.shading === "smooth" ? "smooth" : "flat",
    wireframe: settings.edges === true,
    edges: true,
    up: "y",
    color,
    range: color !== null && settings.range?.every?.(Number.isFinite) ? settings.range : null,
    colormap,
    clip: { axis: "off", at: 0.5, flip: false, direction: [0, 0, 1] },
    theme: ["light", "dark"].includes(settings.theme) ? settings.theme : "auto",
    panel: window.innerWidth > 760,
    picked: null,
  };
}

async function open() {
  const scene = readScene(document);
  document.title = `${scene.title} - Tessera`;
  element("title").textContent = scene.title;
  const renderer = makeRenderer(element("canvas"));
  const progress = coverProgress();
  const readBlock = blockReader(document, scene.blocks_url);
  const layers = [];
  for (const description of scene.layers) layers.push(await loadLayer(description, readBlock, progress));

  const fields = listFields(layers);
  const store = createStore(firstState(scene, fields));
  applyTheme(store);
  const view = new View(renderer, scene, layers, store);
  const colouring = new Colouring(scene, layers, fields, view, store, readBlock);
  const picking = new Picking(layers, view, store, (layer, field) => colouring.words(layer, field));
  const actions = bindControls(scene, layers, fields, view, store, colouring);
  new Divider(layers, store);
  bindKeys(actions);
  showFigures(layers);
  await colouring.apply(progress);

  store.subscribe((state, changed) => {
    if (changed.has("panel")) view.resize();
    view.invalidate();
  });
  new ResizeObserver(() => view.resize()).observe(element("stage"));
  view.resize();
  element("cover").hidden = true;
  element("canvas").addEventListener("webglcontextlost", () => {
    showFailure(new SceneError("The graphics card gave up this page. Reload it to go on."));
  });
  return { store, view, picking };
}

// For tests, and for the curious: the settings, and what is where on the screen.
window.tessera = {
  ready: open().then(({ store, view, picking }) => {
    Object.assign(window.tessera, {
      settings: store.state,
      set: (patch) => store.set(patch),
      project: (point) => view.project(point),
      pick: (x, y) => picking.pickAt(x, y),
      frames: () => view.frames,
    });
  }),
};
window.tessera.ready.catch(showFailure);
