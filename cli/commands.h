// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "run.h"

namespace tessera::cli {

// Each adds its command to the program; parsing the command line then runs it.
void add_info(CLI::App& program, const SharedFlags& flags);
void add_convert(CLI::App& program, const SharedFlags& flags);
void add_normals(CLI::App& program, const SharedFlags& flags);
void add_patch(CLI::App& program, const SharedFlags& flags);
void add_smooth(CLI::App& program, const SharedFlags& flags);
void add_render(CLI::App& program, const SharedFlags& flags);
void add_view(CLI::App& program, const SharedFlags& flags);
void add_repair(CLI::App& program, const SharedFlags& flags);
void add_generate(CLI::App& program, const SharedFlags& flags);
void add_subdivide(CLI::App& program, const SharedFlags& flags);
void add_remesh(CLI::App& program, const SharedFlags& flags);
void add_metric(CLI::App& program, const SharedFlags& flags);
void add_simplify(CLI::App& program, const SharedFlags& flags);
void add_delaunay(CLI::App& program, const SharedFlags& flags);
void add_track(CLI::App& program, const SharedFlags& flags);
void add_volume(CLI::App& program, SharedFlags& flags);
void add_lattice(CLI::App& program, SharedFlags& flags);
void add_compare(CLI::App& program, const SharedFlags& flags);
void add_curvature(CLI::App& program, const SharedFlags& flags);
void add_geodesic(CLI::App& program, const SharedFlags& flags);

}  // namespace tessera::cli
