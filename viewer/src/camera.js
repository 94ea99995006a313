// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// The camera, its mouse and touch controls, and standard views. The scene fits the unit sphere.
import { MOUSE, PerspectiveCamera, TOUCH, Vector3 } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

const field_of_view = 35; // degrees, of the shorter side of the canvas
const first_direction = { y: new Vector3(0.55, 0.38, 0.9), z: new Vector3(0.55, -0.9, 0.38) };

export class CameraRig {
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.camera = new PerspectiveCamera(field_of_view, 1, 0.1, 10);
    this.setUp("y");
  }

  makeControls() {
    this.controls?.dispose();
    // The controls take the direction that is up from the camera when they are made.
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.zoomToCursor = true;
    this.controls.minDistance = 1e-4;
    this.controls.maxDistance = 50;
    this.controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    this.controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    this.controls.addEventListener("change", () => this.changed());
  }

  setUp(axis) {
    this.up = axis;
    this.camera.up.set(0, axis === "y" ? 1 : 0, axis === "z" ? 1 : 0);
    this.makeControls();
    this.reset();
  }

  resize(width, height) {
    this.camera.aspect = width / height;
    const half = Math.tan((field_of_view * Math.PI) / 360);
    const tall = this.camera.aspect < 1 ? half / this.camera.aspect : half;
    this.camera.fov = (Math.atan(tall) * 360) / Math.PI;
    this.update();
  }

  reset() {
    this.look(first_direction[this.up]);
  }

  // From the side of `direction` towards the middle.
  look(direction) {
    const distance = 1.06 / Math.sin((field_of_view * Math.PI) / 360);
    this.controls.target.set(0, 0, 0);
    this.camera.position.copy(direction).normalize().multiplyScalar(distance);
    this.controls.update();
    this.changed();
  }

  // Along an axis; a second time from the other side.
  lookAlong(axis) {
    const direction = new Vector3(axis === "x" ? 1 : 0, axis === "y" ? 1 : 0, axis === "z" ? 1 : 0);
    const now = this.camera.position.clone().sub(this.controls.target).normalize();
    if (now.dot(direction) > 0.9999) direction.negate();
    this.look(direction);
  }

  // Depth has 24 bits: near and far stay as close together as the scene allows.
  update() {
    const away = this.camera.position.length();
    const to_target = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(away - 1.02, Math.min(0.02 * to_target, 0.01), 1e-6);
    this.camera.far = Math.max(away + 1.02, 2 * this.camera.near);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }
}
