// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "surface_meshes.h"

/// The ridges of a mesh, found by looking at every edge.
struct Ridges {
  std::vector<std::pair<tessera::Vec3d, tessera::Vec3d>> edges;
  std::vector<tessera::Vec3d> corners;  ///< where not two ridge edges meet
  std::size_t chains = 0;               ///< of edges, from corner to corner or closed

  /// Edges whose faces turn by more degrees.
  static Ridges of(const tessera::TriangleSoup& mesh, double angle) {
    using tessera::Index;
    using tessera::Vec3d;
    const auto area = [&](Index f) {
      const tessera::Triangle& t = mesh.triangles[f];
      const Vec3d& p = mesh.positions[t[0]];
      return cross(mesh.positions[t[1]] - p, mesh.positions[t[2]] - p);
    };
    Ridges ridges;
    std::map<Index, std::vector<Index>> neighbors;
    for (const auto& [edge, faces] : faces_at_edges(mesh)) {
      if (faces.size() != 2) continue;
      const Vec3d a = area(*faces.begin());
      const Vec3d b = area(*faces.rbegin());
      const double turn = std::atan2(length(cross(a, b)), dot(a, b)) * 180 / std::numbers::pi;
      if (turn <= angle) continue;
      ridges.edges.emplace_back(mesh.positions[edge.first], mesh.positions[edge.second]);
      neighbors[edge.first].push_back(edge.second);
      neighbors[edge.second].push_back(edge.first);
    }
    // A chain has two ends at corners, or none.
    std::size_t ends = 0;
    for (const auto& [v, others] : neighbors)
      if (others.size() != 2) {
        ridges.corners.push_back(mesh.positions[v]);
        ends += others.size();
      }
    ridges.chains = ends / 2;
    std::map<Index, bool> seen;
    for (const auto& [v, others] : neighbors) {
      bool is_closed = !seen[v];
      std::vector<Index> todo{v};
      while (!todo.empty()) {
        const Index w = todo.back();
        todo.pop_back();
        if (std::exchange(seen[w], true)) continue;
        if (neighbors[w].size() != 2) is_closed = false;
        todo.insert(todo.end(), neighbors[w].begin(), neighbors[w].end());
      }
      if (is_closed) ++ridges.chains;
    }
    return ridges;
  }

  double longest_edge() const {
    double longest = 0;
    for (const auto& [a, b] : edges) longest = std::max(longest, length(b - a));
    return longest;
  }

  /// The largest distance of points of these ridges from the nearest of others.
  double distance_to(const Ridges& others) const {
    double largest = 0;
    for (const auto& [a, b] : edges)
      for (const double part : {0.0, 0.25, 0.5, 0.75}) {
        const tessera::Vec3d p = a + (b - a) * part;
        double nearest = std::numeric_limits<double>::infinity();
        for (const auto& [c, d] : others.edges) {
          const tessera::Vec3d along = d - c;
          const double squared = squared_length(along);
          const double at = squared > 0 ? std::clamp(dot(p - c, along) / squared, 0.0, 1.0) : 0.0;
          nearest = std::min(nearest, squared_length(c + along * at - p));
        }
        largest = std::max(largest, std::sqrt(nearest));
      }
    return largest;
  }
};
