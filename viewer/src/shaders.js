// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// The shaders. There are no vertex attributes: corner k of face f is vertex 3 f + k of the draw call,
// and everything else is fetched from textures by its number.

const common = /* glsl */ `
precision highp float;
precision highp int;
precision highp usampler2D;

uniform mat4 viewMatrix;
uniform mat4 projectionMatrix;
uniform usampler2D vertexWords;
uniform usampler2D faceWords;
uniform vec3 centre;   // of the scene, relative to the layer's origin
uniform float scale;   // the scene fits a sphere of radius 1

uvec4 wordsOf(usampler2D data, uint i) {
  return texelFetch(data, ivec2(int(i & 4095u), int(i >> 12)), 0);
}

vec3 pointOf(uvec4 vertex) {
  return (uintBitsToFloat(vertex.xyz) - centre) * scale;
}
`;

const clipping = /* glsl */ `
uniform vec4 clipPlane;  // what has dot(xyz, point) > w is cut away; (0, 0, 0, 1) cuts nothing
bool isCut(vec3 point) { return dot(clipPlane.xyz, point) > clipPlane.w; }
`;

export const surface_vertex = /* glsl */ `${common}
uniform usampler2D fieldWords;
uniform int fieldKind;     // 0 none, 1 float, 2 number, 3 category, 4 colour
uniform bool fieldOnFaces;
uniform bool smoothShading;

out vec3 vPoint;
out vec3 vViewPoint;
out vec3 vNormal;
out vec3 vCorner;
out float vValue;
out float vNone;           // above zero where a corner has no value
out vec3 vColour;
flat out uvec3 vCategories;
flat out uint vFace;

vec3 directionOf(uint packed) {
  vec2 f = vec2(float(packed & 0xffffu), float(packed >> 16)) / 65535.0 * 2.0 - 1.0;
  vec3 n = vec3(f, 1.0 - abs(f.x) - abs(f.y));
  float fold = max(-n.z, 0.0);
  n.x += n.x >= 0.0 ? -fold : fold;
  n.y += n.y >= 0.0 ? -fold : fold;
  return normalize(n);
}

void main() {
  uint face = uint(gl_VertexID) / 3u;
  uint corner = uint(gl_VertexID) % 3u;
  uvec4 corners = wordsOf(faceWords, face);
  uint number = corners[corner];
  uvec4 vertex = wordsOf(vertexWords, number);

  vFace = face;
  vPoint = pointOf(vertex);
  vCorner = vec3(corner == 0u, corner == 1u, corner == 2u);
  vNormal = smoothShading ? mat3(viewMatrix) * directionOf(vertex.w) : vec3(0.0);
  vec4 viewPoint = viewMatrix * vec4(vPoint, 1.0);
  vViewPoint = viewPoint.xyz;
  gl_Position = projectionMatrix * viewPoint;

  vValue = 0.0;
  vNone = 0.0;
  vColour = vec3(0.0);
  vCategories = uvec3(0u);
  if (fieldKind != 0) {
    uint word = wordsOf(fieldWords, fieldOnFaces ? face : number).r;
    if (fieldKind == 1) {
      bool none = (word & 0x7fffffffu) >= 0x7f800000u; // infinite, or no number
      vNone = none ? 1.0 : 0.0;
      vValue = none ? 0.0 : uintBitsToFloat(word);
    } else if (fieldKind == 2) {
      vValue = float(word);
    } else if (fieldKind == 3) {
      vCategories = fieldOnFaces ? uvec3(word)
                                 : uvec3(wordsOf(fieldWords, corners.x).r, wordsOf(fieldWords, corners.y).r,
                                         wordsOf(fieldWords, corners.z).r);
    } else {
      vColour = vec3(word & 255u, (word >> 8) & 255u, (word >> 16) & 255u) / 255.0;
    }
  }
}
`;

export const surface_fragment = /* glsl */ `
precision highp float;
precision highp int;
${clipping}
uniform int fieldKind;
uniform bool smoothShading;
uniform bool wireframe;
uniform vec2 range;
uniform sampler2D colourMap;
uniform vec3 palette[32];
uniform vec3 plainColour;
uniform vec3 backColour;
uniform vec3 lineColour;

in vec3 vPoint;
in vec3 vViewPoint;
in vec3 vNormal;
in vec3 vCorner;
in float vValue;
in float vNone;
in vec3 vColour;
flat in uvec3 vCategories;
flat in uint vFace;
out vec4 colour;

const vec3 noValue = vec3(0.55);

vec3 baseColour() {
  if (fieldKind == 0) return gl_FrontFacing ? plainColour : backColour;
  if (fieldKind == 4) return vColour;
  if (fieldKind == 3) {
    uint category = vCorner.x >= vCorner.y && vCorner.x >= vCorner.z ? vCategories.x
                  : vCorner.y >= vCorner.z ? vCategories.y : vCategories.z;
    return category == 0xffffffffu ? noValue : palette[(category * 0x9E3779B1u) >> 27];
  }
  if (vNone > 0.0) return noValue;
  float span = range.y - range.x;
  float place = span > 0.0 ? clamp((vValue - range.x) / span, 0.0, 1.0) : 0.5;
  return texture(colourMap, vec2((place * 255.0 + 0.5) / 256.0, 0.5)).rgb;
}

// A soft key light over the left shoulder, a fill from the right, all tied to the camera. A face that
// looks at the camera gets about 1, so that colours stay those of the colour bar.
vec3 lit(vec3 base, vec3 n) {
  const vec3 key = normalize(vec3(-0.35, 0.55, 0.85));
  const vec3 fill = normalize(vec3(0.8, -0.15, 0.4));
  float k = max(dot(n, key), 0.0);
  float light = 0.16 + 0.80 * k + 0.22 * max(dot(n, fill), 0.0) + 0.10 * (n.y * 0.5 + 0.5);
  vec3 toEye = normalize(-vViewPoint);
  float shine = pow(max(dot(n, normalize(key + toEye)), 0.0), 40.0) * (fieldKind == 0 ? 0.10 : 0.04);
  vec3 linear = pow(base, vec3(2.2)) * light + shine;
  return pow(linear, vec3(1.0 / 2.2));
}

void main() {
  vec3 flatNormal = cross(dFdx(vViewPoint), dFdy(vViewPoint));
  vec3 across = dFdx(vCorner);
  vec3 down = dFdy(vCorner);
  if (isCut(vPoint)) discard;
  vec3 n = smoothShading ? vNormal : flatNormal;
  float size = length(n);
  n = size > 0.0 ? n / size : normalize(-vViewPoint);
  if (smoothShading) n = gl_FrontFacing ? n : -n;
  else if (dot(n, vViewPoint) > 0.0) n = -n;

  vec3 base = baseColour();
  if (!gl_FrontFacing && fieldKind != 0) base = mix(base, vec3(dot(base, vec3(0.3, 0.59, 0.11))), 0.35) * 0.8;
  vec3 shaded = lit(base, n);
  if (wireframe) {
    vec3 pixels = vCorner * inversesqrt(max(across * across + down * down, vec3(1e-18)));
    float line = 1.0 - smoothstep(0.3, 1.1, min(min(pixels.x, pixels.y), pixels.z));
    // Where faces are no larger than a few pixels, lines would hide everything.
    float pixelsWide = inversesqrt(max(abs(across.x * down.y - across.y * down.x), 1e-12));
    shaded = mix(shaded, lineColour, line * 0.65 * smoothstep(3.0, 9.0, pixelsWide));
  }
  colour = vec4(shaded, 1.0);
}
`;

// The number of the face, plus one, counted over all layers.
export const pick_fragment = /* glsl */ `
precision highp float;
precision highp int;
${clipping}
uniform uint firstFace;
in vec3 vPoint;
flat in uint vFace;
out vec4 colour;
void main() {
  if (isCut(vPoint)) discard;
  uint number = firstFace + vFace + 1u;
  colour = vec4(number & 255u, (number >> 8) & 255u, (number >> 16) & 255u, number >> 24) / 255.0;
}
`;

// Sides of faces as strips of `lineWidth` pixels, six vertices for each.
export const side_vertex = /* glsl */ `${common}
uniform usampler2D segments;  // 3 * face + side
uniform vec2 viewport;        // pixels
uniform float lineWidth;
out vec3 vPoint;
flat out uint vKind;          // 0 boundary, 1 more than two faces

void main() {
  uint place = uint(gl_VertexID) % 6u;
  uint word = wordsOf(segments, uint(gl_VertexID) / 6u).r;
  uint side = word % 3u;
  uvec4 corners = wordsOf(faceWords, word / 3u);
  vKind = (corners.w >> (3u + side)) & 1u;
  vec3 a = pointOf(wordsOf(vertexWords, corners[side]));
  vec3 b = pointOf(wordsOf(vertexWords, corners[(side + 1u) % 3u]));
  bool atEnd = place == 1u || place == 2u || place == 4u;
  float across = place == 0u || place == 1u || place == 3u ? -1.0 : 1.0;

  // A little nearer to the eye than the faces; this does not move a point on the screen.
  const float nearer = 0.9988;
  vec3 viewA = (viewMatrix * vec4(a, 1.0)).xyz * nearer;
  vec3 viewB = (viewMatrix * vec4(b, 1.0)).xyz * nearer;
  // Keep the strip in front of the eye.
  float near = projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
  vPoint = atEnd ? b : a;
  if (-viewA.z < near && -viewB.z < near) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  if (-viewA.z < near) viewA = mix(viewA, viewB, (near + viewA.z) / (viewA.z - viewB.z));
  if (-viewB.z < near) viewB = mix(viewB, viewA, (near + viewB.z) / (viewB.z - viewA.z));
  vec4 clipA = projectionMatrix * vec4(viewA, 1.0);
  vec4 clipB = projectionMatrix * vec4(viewB, 1.0);
  vec2 along = (clipB.xy / clipB.w - clipA.xy / clipA.w) * viewport;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  vec2 offset = vec2(-along.y, along.x) * across + along * (atEnd ? 0.5 : -0.5);
  gl_Position = atEnd ? clipB : clipA;
  gl_Position.xy += offset * lineWidth / viewport * gl_Position.w;
}
`;

export const side_fragment = /* glsl */ `
precision highp float;
precision highp int;
${clipping}
uniform vec3 sideColours[2];
in vec3 vPoint;
flat in uint vKind;
out vec4 colour;
void main() {
  if (isCut(vPoint)) discard;
  colour = vec4(sideColours[vKind], 1.0);
}
`;
