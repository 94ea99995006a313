// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// What a layer needs on the graphics card: textures, the surface, its highlighted sides.
import {
  BufferGeometry, DataTexture, DoubleSide, GLSL3, LinearFilter, Mesh, NearestFilter, RawShaderMaterial,
  RedIntegerFormat, RGBAFormat, RGBAIntegerFormat, Sphere, UnsignedByteType, UnsignedIntType, Vector2,
  Vector3, Vector4,
} from "three";
import { SceneError } from "./errors.js";
import { paddedWords, texture_width } from "./layers.js";
import { pick_fragment, side_fragment, side_vertex, surface_fragment, surface_vertex } from "./shaders.js";

const field_kinds = { none: 0, float: 1, number: 2, category: 3, colour: 4 };

export function hexColour(hex) {
  return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
}

function wordTexture(words, channels) {
  const height = words.length / channels / texture_width;
  const texture = new DataTexture(words, texture_width, height,
    channels === 4 ? RGBAIntegerFormat : RedIntegerFormat, UnsignedIntType);
  texture.internalFormat = channels === 4 ? "RGBA32UI" : "R32UI";
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

export function colourMapTexture(hex) {
  const texels = new Uint8Array(1024);
  for (let i = 0; i < 256; ++i) {
    for (let k = 0; k < 3; ++k) texels[4 * i + k] = parseInt(hex.slice(6 * i + 2 * k, 6 * i + 2 * k + 2), 16);
    texels[4 * i + 3] = 255;
  }
  const texture = new DataTexture(texels, 256, 1, RGBAFormat, UnsignedByteType);
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export function checkFits(layer, largest_texture) {
  const most = largest_texture * texture_width;
  if (largest_texture < texture_width || Math.max(layer.vertices, layer.faces) > most) {
    throw new SceneError(
      `The layer "${layer.name}" has ${layer.faces} faces; this browser and graphics card show at most ` +
        `${largest_texture < texture_width ? 0 : most}. Write the page from a smaller mesh.`,
    );
  }
}

// Uniforms that all layers share.
export function sharedUniforms(palette) {
  return {
    clipPlane: { value: new Vector4(0, 0, 0, 1) },
    scale: { value: 1 },
    smoothShading: { value: false },
    wireframe: { value: false },
    range: { value: new Vector2(0, 1) },
    colourMap: { value: null },
    palette: { value: palette.map((hex) => new Vector3(...hexColour(hex))) },
    plainColour: { value: new Vector3() },
    backColour: { value: new Vector3() },
    lineColour: { value: new Vector3() },
    sideColours: { value: [new Vector3(), new Vector3()] },
    viewport: { value: new Vector2(1, 1) },
    lineWidth: { value: 2 },
  };
}

function material(vertexShader, fragmentShader, uniforms, more = {}) {
  return new RawShaderMaterial({
    glslVersion: GLSL3, vertexShader, fragmentShader, uniforms, side: DoubleSide, ...more,
  });
}

// `count` vertices without attributes.
function bareMesh(count, shader) {
  const geometry = new BufferGeometry();
  geometry.setDrawRange(0, count);
  geometry.boundingSphere = new Sphere();
  const mesh = new Mesh(geometry, shader);
  mesh.frustumCulled = false;
  mesh.matrixAutoUpdate = false;
  return mesh;
}

let no_field = null;

export class GpuLayer {
  constructor(layer, shared, centre, first_face) {
    no_field ??= wordTexture(paddedWords(1, 1), 1);
    this.own = {
      vertexWords: { value: wordTexture(layer.vertex_words, 4) },
      faceWords: { value: wordTexture(layer.face_words, 4) },
      fieldWords: { value: no_field },
      fieldKind: { value: 0 },
      fieldOnFaces: { value: false },
      centre: { value: new Vector3(...centre) },
      firstFace: { value: first_face },
    };
    const uniforms = { ...shared, ...this.own };
    this.surface = bareMesh(3 * layer.faces, material(surface_vertex, surface_fragment, uniforms));
    this.shown_material = this.surface.material;
    this.pick_material = material(surface_vertex, pick_fragment, uniforms);
    const segments = paddedWords(layer.segments.length, 1);
    segments.set(layer.segments);
    this.sides = this.stripMesh(segments, layer.segments.length, uniforms);
    this.uniforms = uniforms;
    this.picked = null;
  }

  stripMesh(segments, count, uniforms, more) {
    const own = { ...uniforms, segments: { value: wordTexture(segments, 1) } };
    return bareMesh(6 * count, material(side_vertex, side_fragment, own, more));
  }

  // The outline of one face, over everything else; null for none. Answers the mesh, to be drawn.
  outline(face, colour) {
    this.picked?.material.uniforms.segments.value.dispose();
    this.picked?.material.dispose();
    this.picked = null;
    if (face === null) return null;
    const segments = paddedWords(3, 1);
    segments.set([3 * face, 3 * face + 1, 3 * face + 2]);
    const look = {
      ...this.uniforms, lineWidth: { value: 3 }, sideColours: { value: [colour, colour] },
    };
    this.picked = this.stripMesh(segments, 3, look, { depthTest: false, depthWrite: false });
    return this.picked;
  }

  // Colours the surface by a field of this layer; null for the plain colour.
  setField(kind, on_faces, words) {
    if (this.own.fieldWords.value !== no_field) this.own.fieldWords.value.dispose();
    this.own.fieldWords.value = kind ? wordTexture(words, 1) : no_field;
    this.own.fieldKind.value = field_kinds[kind ?? "none"];
    this.own.fieldOnFaces.value = on_faces;
  }
}
