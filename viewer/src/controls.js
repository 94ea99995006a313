// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Binds the panel and the tool bar to the settings, both ways. Answers the actions that keys share.
import { element, make, notice } from "./dom.js";
import { formatCount, formatNumber } from "./numbers.js";
import { saveScreenshot } from "./screenshot.js";
import { shownTheme } from "./theme.js";

export function bindControls(scene, layers, fields, view, store, colouring) {
  const toggle = (name) => () => store.set({ [name]: !store.state[name] });
  const actions = {
    shading: () => store.set({ shading: store.state.shading === "flat" ? "smooth" : "flat" }),
    wireframe: toggle("wireframe"),
    edges: toggle("edges"),
    panel: toggle("panel"),
    theme: () => store.set({ theme: shownTheme(store.state.theme) === "dark" ? "light" : "dark" }),
    reset: () => view.rig.reset(),
    lookAlong: (axis) => view.rig.lookAlong(axis),
    turn: (right, upwards, zoom) => view.rig.turn(right, upwards, zoom),
    screenshot: () => saveScreenshot(scene, view, store, fields, colouring).catch((error) => notice(error.message)),
    layer: (i) => {
      if (i >= layers.length) return;
      store.set({ visible: store.state.visible.map((on, k) => (k === i ? !on : on)) });
    },
    forget: () => store.set({ picked: null }),
    nextField: () => {
      const names = [null, ...fields.keys()];
      const next = names[(names.indexOf(store.state.color) + 1) % names.length];
      store.set({ color: next, range: null });
    },
  };
  element("reset").addEventListener("click", actions.reset);
  element("screenshot").addEventListener("click", actions.screenshot);
  element("theme").addEventListener("click", actions.theme);
  element("toggle-panel").addEventListener("click", actions.panel);

  showHeading(layers);
  bindLayers(layers, store, actions);
  bindLook(layers, view, store);
  bindColour(scene, fields, store, colouring);
  bindClipping(view, store);
  const showPanel = ({ panel }) => {
    element("app").dataset.panel = panel ? "open" : "closed";
    element("toggle-panel").setAttribute("aria-expanded", panel);
  };
  follow(store, ["panel"], showPanel);
  return actions;
}

// Calls `show` now and whenever one of the settings changes.
function follow(store, names, show) {
  show(store.state);
  store.subscribe((state, changed) => {
    if (names.some((name) => changed.has(name))) show(state);
  });
}

function bindCheckbox(id, name, store) {
  element(id).addEventListener("change", (event) => store.set({ [name]: event.target.checked }));
  follow(store, [name], (state) => (element(id).checked = state[name]));
}

function bindRadios(name, store, choose, chosen) {
  const radios = [...document.querySelectorAll(`input[name="${name}"]`)];
  for (const radio of radios) radio.addEventListener("change", () => choose(radio.value));
  follow(store, [name], (state) => {
    for (const radio of radios) radio.checked = radio.value === chosen(state);
  });
}

function showHeading(layers) {
  const size = (each) => `${formatCount(each.faces)} faces, ${formatCount(each.vertices)} vertices`;
  element("summary").textContent =
    layers.length === 1 ? size(layers[0].simplified ?? layers[0]) : `${layers.length} layers`;
  const reduced = layers.filter((layer) => layer.simplified);
  element("simplified").hidden = reduced.length === 0;
  element("simplified").textContent = reduced
    .map((layer) => {
      const whose = layers.length > 1 ? `${layer.name}: a` : "A";
      return `${whose} simplified mesh is shown, ${formatCount(layer.faces)} of ${formatCount(layer.simplified.faces)} faces`;
    })
    .join("; ");
}

function bindLayers(layers, store, actions) {
  element("layers-section").hidden = layers.length < 2;
  const boxes = layers.map((layer, i) => {
    const box = make("input", { type: "checkbox" });
    box.addEventListener("change", () => actions.layer(i));
    element("layers").append(make("li", {}, make("label", { className: "check" }, box,
      make("span", { title: layer.name }, layer.name),
      make("span", { className: "count" }, `${formatCount(layer.faces)} faces`))));
    return box;
  });
  follow(store, ["visible"], ({ visible }) => boxes.forEach((box, i) => (box.checked = visible[i])));
  bindCheckbox("compare", "compare", store);
}

function bindLook(layers, view, store) {
  bindRadios("shading", store, (shading) => store.set({ shading }), (state) => state.shading);
  bindRadios("up", store, (up) => store.set({ up }), (state) => state.up);
  store.subscribe((state, changed) => {
    if (changed.has("up")) view.rig.setUp(state.up);
  });
  bindCheckbox("wireframe", "wireframe", store);
  bindCheckbox("edges", "edges", store);
  if (layers.some((layer) => layer.sides) && layers.every((layer) => layer.segments.length === 0)) {
    element("edges-key").textContent = "There are none: every edge has two faces.";
  }
}

function bindColour(scene, fields, store, colouring) {
  element("colour-section").hidden = fields.size === 0;
  const select = element("field");
  select.append(make("option", { value: "" }, "One colour"));
  [...fields.values()].forEach(({ name }, i) => select.append(make("option", { value: String(i) }, name)));
  const names = [...fields.keys()];
  select.addEventListener("change", () => {
    store.set({ color: select.value === "" ? null : names[Number(select.value)], range: null });
  });
  for (const name of Object.keys(scene.colormaps)) {
    element("colormap").append(make("option", { value: name }, name.replaceAll("_", " ")));
  }
  element("colormap").addEventListener("change", (event) => store.set({ colormap: event.target.value }));

  const ends = [element("range-min"), element("range-max")];
  const take = () => {
    const values = ends.map((end) => (end.value.trim() === "" ? NaN : Number(end.value.trim().replace(",", "."))));
    const good = values.every(Number.isFinite) && values[0] < values[1];
    for (const end of ends) end.setAttribute("aria-invalid", !good);
    if (good) store.set({ range: values });
    else notice("The range needs two numbers, the first one smaller.");
  };
  for (const end of ends) end.addEventListener("change", take);
  element("range-all").addEventListener("click", () => store.set({ range: colouring.wholeRange() }));
  element("range-middle").addEventListener("click", async () => {
    const range = await colouring.middle().catch((error) => notice(error.message));
    if (range) store.set({ range });
    else notice("All but a few values are the same.");
  });
  follow(store, ["color", "range", "colormap"], (state) => {
    select.value = state.color === null ? "" : String(names.indexOf(state.color));
    element("colormap").value = state.colormap;
    element("scale-rows").hidden = !colouring.hasRange();
    colouring.range().forEach((value, i) => {
      ends[i].value = formatNumber(value, 7);
      ends[i].setAttribute("aria-invalid", "false");
    });
  });
}

function bindClipping(view, store) {
  const set = (patch) => store.set({ clip: { ...store.state.clip, ...patch } });
  bindRadios("clip", store, (axis) => set({ axis, direction: view.viewDirection() }), (state) => state.clip.axis);
  element("clip-at").addEventListener("input", (event) => set({ at: Number(event.target.value) }));
  element("clip-flip").addEventListener("change", (event) => set({ flip: event.target.checked }));
  element("clip-align").addEventListener("click", () => set({ direction: view.viewDirection() }));
  follow(store, ["clip"], ({ clip }) => {
    element("clip-rows").hidden = clip.axis === "off";
    element("clip-align").hidden = clip.axis !== "view";
    element("clip-at").value = clip.at;
    element("clip-flip").checked = clip.flip;
    const place = view.clipPlane()?.place;
    element("clip-place").textContent =
      place === null || place === undefined ? `${Math.round(clip.at * 100)} %` : formatNumber(place, 5);
  });
}
