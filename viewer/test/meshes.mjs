// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Small meshes: { points: [[x, y, z], ...], faces: [[a, b, c], ...] }.

export function cube() {
  const points = [];
  for (let i = 0; i < 8; ++i) points.push([i & 1, (i >> 1) & 1, (i >> 2) & 1]);
  const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  return { points, faces: quads.flatMap(([a, b, c, d]) => [[a, b, c], [a, c, d]]) };
}

// Rings of latitude; about `wanted` faces, all looking outwards.
export function sphere(wanted, radius = 1) {
  const rows = Math.max(2, Math.round(Math.sqrt(wanted / 4)));
  const columns = 2 * rows;
  const points = [[0, 0, radius]];
  for (let i = 1; i < rows; ++i) {
    const polar = (Math.PI * i) / rows;
    for (let j = 0; j < columns; ++j) {
      const turn = (2 * Math.PI * j) / columns;
      points.push([Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar)].map((x) => x * radius));
    }
  }
  points.push([0, 0, -radius]);
  const faces = [];
  const at = (i, j) => 1 + (i - 1) * columns + (j % columns);
  for (let j = 0; j < columns; ++j) faces.push([0, at(1, j), at(1, j + 1)]);
  for (let i = 1; i < rows - 1; ++i) {
    for (let j = 0; j < columns; ++j) {
      faces.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
    }
  }
  for (let j = 0; j < columns; ++j) faces.push([points.length - 1, at(rows - 1, j + 1), at(rows - 1, j)]);
  return { points, faces };
}

// A square sheet with a hole in the middle: two boundary loops.
export function openSheet(n = 12) {
  const points = [];
  for (let i = 0; i <= n; ++i) for (let j = 0; j <= n; ++j) points.push([j / n, i / n, 0.15 * Math.sin((6 * j) / n)]);
  const faces = [];
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      if (Math.hypot(i + 0.5 - n / 2, j + 0.5 - n / 2) < n / 6) continue;
      const a = i * (n + 1) + j;
      faces.push([a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]);
    }
  }
  return { points, faces };
}

// Three sheets that share one edge.
export function fan() {
  const points = [[0, 0, 0], [0, 0, 1]];
  const faces = [];
  for (let k = 0; k < 3; ++k) {
    const turn = (2 * Math.PI * k) / 3;
    points.push([Math.cos(turn), Math.sin(turn), 0], [Math.cos(turn), Math.sin(turn), 1]);
    faces.push([0, 2 + 2 * k, 3 + 2 * k], [0, 3 + 2 * k, 1]);
  }
  return { points, faces };
}

export function moved(mesh, shift) {
  return { ...mesh, points: mesh.points.map((p) => p.map((x, k) => x + shift[k])) };
}

export function triangleOf(mesh, face) {
  return mesh.faces[face].map((v) => mesh.points[v]);
}

export function middleOf(mesh, face) {
  const corners = triangleOf(mesh, face);
  return [0, 1, 2].map((k) => (corners[0][k] + corners[1][k] + corners[2][k]) / 3);
}
