// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Draws the layers into the canvas, when something changed and only then; picks faces.
import { LinearSRGBColorSpace, Scene, Vector3, WebGLRenderer, WebGLRenderTarget } from "three";
import { CameraRig } from "./camera.js";
import { SceneError } from "./errors.js";
import { checkFits, colourMapTexture, GpuLayer, hexColour, sharedUniforms } from "./gpu.js";

const looks = {
  light: { plain: "bccadb", back: "cdbfb1", line: "22303f", boundary: "e8590c", many: "c2187a", picked: "0b5fd0" },
  dark: { plain: "a9bbd0", back: "b5a799", line: "0c1117", boundary: "ff8a3c", many: "ff5fb4", picked: "ffe14d" },
};

export function makeRenderer(canvas) {
  try {
    const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, powerPreference: "high-performance" });
    renderer.outputColorSpace = LinearSRGBColorSpace; // the shaders write what is to be seen
    renderer.autoClear = false;
    renderer.sortObjects = false;
    renderer.setClearColor(0x000000, 0);
    // Flat values are the same in all corners of a face, so either convention will do; on Metal the
    // usual one costs a rewritten index list for every frame.
    const convention = renderer.getContext().getExtension("WEBGL_provoking_vertex");
    convention?.provokingVertexWEBGL(convention.FIRST_VERTEX_CONVENTION_WEBGL);
    return renderer;
  } catch {
    throw new SceneError("This browser does not offer WebGL 2, which the page draws with.");
  }
}

// The box of all layers, relative to the origin of the first one.
function boxOf(layers) {
  const box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
  for (const layer of layers) {
    if (layer.faces === 0) continue;
    for (let k = 0; k < 3; ++k) {
      const shift = layer.origin[k] - layers[0].origin[k];
      box.min[k] = Math.min(box.min[k], layer.bounds[0][k] + shift);
      box.max[k] = Math.max(box.max[k], layer.bounds[1][k] + shift);
    }
  }
  if (!(box.min[0] <= box.max[0])) return { min: [0, 0, 0], max: [1, 1, 1] };
  return box;
}

// Of the faces around a point; smaller than half the diagonal of the box for anything round. Vertices
// that no face has may be anywhere.
function radiusOf({ faces, face_words, coordinates: p }, [x, y, z]) {
  let most = 0;
  for (let f = 0; f < 4 * faces; f += 4) {
    for (let k = 0; k < 3; ++k) {
      const i = 4 * face_words[f + k];
      const squared = (p[i] - x) ** 2 + (p[i + 1] - y) ** 2 + (p[i + 2] - z) ** 2;
      if (squared > most) most = squared;
    }
  }
  return Math.sqrt(most);
}

export class View {
  constructor(renderer, scene_data, layers, store) {
    this.renderer = renderer;
    this.canvas = renderer.domElement;
    this.layers = layers;
    this.store = store;
    for (const layer of layers) checkFits(layer, renderer.capabilities.maxTextureSize);

    this.origin = layers[0].origin;
    this.box = boxOf(layers);
    this.centre = [0, 1, 2].map((k) => (this.box.min[k] + this.box.max[k]) / 2);
    this.layer_centres = layers.map(({ origin }) => this.centre.map((c, k) => c - (origin[k] - this.origin[k])));
    const radius = Math.max(...layers.map((layer, i) => radiusOf(layer, this.layer_centres[i])));
    this.scale = radius > 0 ? 1 / radius : 1;

    this.shared = sharedUniforms(scene_data.palette);
    this.shared.scale.value = this.scale;
    this.scene = new Scene();
    this.scene.matrixWorldAutoUpdate = false;
    this.gpu_layers = [];
    this.first_faces = [];
    let first_face = 0;
    for (const [i, layer] of layers.entries()) {
      this.gpu_layers.push(new GpuLayer(layer, this.shared, this.layer_centres[i], first_face));
      this.first_faces.push(first_face);
      first_face += layer.faces;
      this.scene.add(this.gpu_layers.at(-1).surface, this.gpu_layers.at(-1).sides);
    }
    this.outline = null;
    this.pick_target = new WebGLRenderTarget(1, 1);
    this.rig = new CameraRig(this.canvas, () => this.invalidate());
    this.frames = 0;
    this.frame_wanted = 0;
    this.size = "";
  }

  // Nothing is drawn before the canvas has its size: a frame of a large mesh may take its time.
  invalidate() {
    if (!this.frame_wanted && this.size) this.frame_wanted = requestAnimationFrame(() => this.draw());
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const size = `${width} x ${height} x ${ratio}`;
    if (width === 0 || height === 0 || size === this.size) return;
    this.size = size;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.rig.resize(width, height);
    this.invalidate();
  }

  // A point of the world (origin added) to pixels of the canvas, with its depth.
  project(point) {
    const p = new Vector3(...point.map((x, k) => (x - this.origin[k] - this.centre[k]) * this.scale));
    this.rig.update();
    p.project(this.rig.camera);
    const { clientWidth, clientHeight } = this.canvas;
    return { x: ((p.x + 1) / 2) * clientWidth, y: ((1 - p.y) / 2) * clientHeight, depth: p.z };
  }

  // What is drawn: layers with the part of the width that is theirs.
  parts() {
    const { visible, compare, divider } = this.store.state;
    const shown = visible.map((on, i) => (on ? i : -1)).filter((i) => i >= 0);
    if (!compare || shown.length < 2) return [{ layers: shown, from: 0, to: 1 }];
    return [
      { layers: [shown[0]], from: 0, to: divider },
      { layers: [shown[1]], from: divider, to: 1 },
    ];
  }

  draw() {
    this.frame_wanted = 0;
    this.rig.update();
    this.updateUniforms();
    const { renderer, canvas } = this;
    renderer.setRenderTarget(null);
    renderer.setScissorTest(false);
    renderer.clear();
    const width = canvas.clientWidth;
    for (const part of this.parts()) {
      renderer.setScissorTest(part.from > 0 || part.to < 1);
      renderer.setScissor(part.from * width, 0, (part.to - part.from) * width, canvas.clientHeight);
      this.show(part.layers, this.store.state.edges);
      renderer.render(this.scene, this.rig.camera);
    }
    renderer.setScissorTest(false);
    ++this.frames;
  }

  // Milliseconds for one frame, the wait for the graphics card included.
  timeFrame() {
    const begin = performance.now();
    this.draw();
    this.renderer.getContext().readPixels(0, 0, 1, 1, WebGL2RenderingContext.RGBA, WebGL2RenderingContext.UNSIGNED_BYTE, new Uint8Array(4));
    return performance.now() - begin;
  }

  show(numbers, with_sides) {
    this.gpu_layers.forEach((gpu, i) => {
      gpu.surface.visible = numbers.includes(i);
      gpu.sides.visible = with_sides && numbers.includes(i) && this.layers[i].segments.length > 0;
    });
    if (this.outline) this.outline.visible = numbers.includes(this.store.state.picked?.layer);
  }

  updateUniforms() {
    const { state } = this.store;
    const { shared } = this;
    const look = looks[document.documentElement.dataset.theme] ?? looks.light;
    shared.plainColour.value.set(...hexColour(look.plain));
    shared.backColour.value.set(...hexColour(look.back));
    shared.lineColour.value.set(...hexColour(look.line));
    shared.sideColours.value[0].set(...hexColour(look.boundary));
    shared.sideColours.value[1].set(...hexColour(look.many));
    shared.smoothShading.value = state.shading === "smooth";
    shared.wireframe.value = state.wireframe;
    this.renderer.getDrawingBufferSize(shared.viewport.value);
    shared.lineWidth.value = 2 * this.renderer.getPixelRatio();
    const plane = this.clipPlane();
    if (plane) shared.clipPlane.value.set(...plane.normal, plane.offset);
    else shared.clipPlane.value.set(0, 0, 0, 1);
  }

  // The cutting plane in the coordinates of the unit sphere, and where it stands on its axis.
  clipPlane() {
    const { axis, at, flip, direction } = this.store.state.clip;
    if (axis === "off") return null;
    const unit = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }[axis] ?? direction;
    let [low, high] = [0, 0];
    for (let k = 0; k < 3; ++k) {
      const half = ((this.box.max[k] - this.box.min[k]) / 2) * this.scale;
      low -= Math.abs(unit[k]) * half;
      high += Math.abs(unit[k]) * half;
    }
    const offset = low + at * (high - low);
    const k = "xyz".indexOf(axis);
    const place = k >= 0 ? offset / this.scale + this.centre[k] + this.origin[k] : null;
    const sign = flip ? -1 : 1;
    return { normal: unit.map((x) => x * sign), offset: offset * sign, place };
  }

  // Towards the viewer, for a plane along the view.
  viewDirection() {
    return this.rig.camera.position.clone().sub(this.rig.controls.target).normalize().toArray();
  }

  setColourMap(hex) {
    this.shared.colourMap.value?.dispose();
    this.shared.colourMap.value = colourMapTexture(hex);
    this.invalidate();
  }

  setRange([min, max]) {
    this.shared.range.value.set(min, max);
    this.invalidate();
  }

  // The layer and face at a pixel of the canvas, or null.
  pick(x, y) {
    const { renderer, canvas } = this;
    const { camera } = this.rig;
    const part = this.parts().find(({ to }) => x / canvas.clientWidth <= to);
    if (!part) return null;
    this.rig.update();
    this.updateUniforms();
    this.show(part.layers, false);
    if (this.outline) this.outline.visible = false;
    for (const gpu of this.gpu_layers) gpu.surface.material = gpu.pick_material;
    camera.setViewOffset(canvas.clientWidth, canvas.clientHeight, x - 0.5, y - 0.5, 1, 1);
    renderer.setRenderTarget(this.pick_target);
    renderer.clear();
    renderer.render(this.scene, camera);
    const pixel = new Uint8Array(4);
    renderer.readRenderTargetPixels(this.pick_target, 0, 0, 1, 1, pixel);
    renderer.setRenderTarget(null);
    camera.clearViewOffset();
    for (const gpu of this.gpu_layers) gpu.surface.material = gpu.shown_material;
    const number = (pixel[0] | (pixel[1] << 8) | (pixel[2] << 16) | (pixel[3] << 24)) >>> 0;
    if (number === 0) return null;
    const layer = this.first_faces.findLastIndex((first) => first < number);
    const face = number - 1 - this.first_faces[layer];
    return { layer, face, weights: this.weightsAt(layer, face, x, y) };
  }

  // Barycentric weights, in the face, of the point that a pixel shows.
  weightsAt(layer, face, x, y) {
    const { camera } = this.rig;
    const { face_words, coordinates } = this.layers[layer];
    const { value: centre } = this.gpu_layers[layer].own.centre;
    const corners = [0, 1, 2].map((k) => {
      const v = face_words[4 * face + k];
      return new Vector3(...coordinates.subarray(4 * v, 4 * v + 3)).sub(centre).multiplyScalar(this.scale);
    });
    const through = new Vector3((x / this.canvas.clientWidth) * 2 - 1, 1 - (y / this.canvas.clientHeight) * 2, 0.5);
    const ray = through.unproject(camera).sub(camera.position);
    // Volumes of the tetrahedra that the ray makes with the sides of the face.
    const from = corners.map((corner) => corner.clone().sub(camera.position));
    const volumes = [0, 1, 2].map((k) => ray.dot(from[(k + 1) % 3].clone().cross(from[(k + 2) % 3])));
    const sum = volumes[0] + volumes[1] + volumes[2];
    return sum === 0 ? [1 / 3, 1 / 3, 1 / 3] : volumes.map((volume) => volume / sum);
  }

  setPicked(picked) {
    if (this.outline) this.scene.remove(this.outline);
    this.outline = null;
    if (picked) {
      const look = looks[document.documentElement.dataset.theme] ?? looks.light;
      const colour = new Vector3(...hexColour(look.picked));
      this.outline = this.gpu_layers[picked.layer].outline(picked.face, colour);
      this.outline.renderOrder = 1;
      this.scene.add(this.outline);
    }
    this.invalidate();
  }
}
