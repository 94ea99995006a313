// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "run.h"
#include "tessera/core/attribute.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/surface/mesh_attribute.h"
#include "tessera/surface/patched_mesh.h"

namespace tessera::cli {

/// How the numbers of kernels, which are float, relate to those of the model. Kernels get positions
/// about the middle of the faces and of about unit size: so details keep their digits far from the
/// origin, and squares neither over- nor underflow, whatever the units. What kernels return comes
/// back through here.
struct KernelUnits {
  /// Of the vertices that faces use; a stray one far away has no say.
  static KernelUnits fit(const exec::Stream& stream, const TriangleSoup& soup);

  Vec3d origin{};
  double unit = 1;  ///< the model's length of 1 in kernels; a power of two, so nothing is rounded

  Vec3f position_for_kernels(const Vec3d& in_model) const;
  Vec3d position_in_model(const Vec3f& in_kernels) const;
  /// Squared lengths, and time steps of flows.
  double area_for_kernels(double in_model) const { return in_model / unit / unit; }
  double area_in_model(double in_kernels) const { return in_kernels * unit * unit; }

  // What to multiply with, from kernels to the model.
  double length_factor() const { return unit; }
  double curvature_factor() const { return 1 / unit; }
  double gaussian_curvature_factor() const { return 1 / unit / unit; }
};

/// A mesh on its device, ready for kernels.
struct PatchedInput {
  /// `wanted` is what the command makes ("normals"), for the message if there are no faces.
  PatchedInput(Run& run, const SharedFlags& flags, const TriangleSoup& soup,
               const std::string& wanted);

  KernelUnits units;
  surface::PatchedMesh mesh;
  surface::VertexAttribute<Vec3f> positions;  ///< in the units of kernels

  /// Positions back in double, where they came from.
  void store_positions(TriangleSoup& soup) const;
};

/// All of them times a factor, infinite ones too.
Array<double> scaled(const Array<float>& values, double factor);

/// Adds an attribute, in place of one of the same name.
void set_attribute(Attributes& attributes, Attribute added);
/// One of one number for each element: float, or double where float has no room.
void set_attribute(Attributes& attributes, const std::string& name, const Array<double>& values);
/// One of three numbers for each element.
void set_attribute(Attributes& attributes, const std::string& name, const Array<Vec3f>& values);

}  // namespace tessera::cli
