// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "run.h"
#include "tessera/core/triangle_soup.h"
#include "tessera/remesh/metric_recipe.h"

namespace tessera::cli {

/// How a command is told how long edges are to be.
struct MetricFlags {
  double size = 0;
  std::uint64_t points = 0;
  std::string error;                 ///< a length, or a part of the diagonal: "0.1%"
  std::vector<std::string> fields;   ///< files or vertex attributes
  std::string field_error = "1%";    ///< in the unit of the fields, or a part of the range of each
  std::vector<std::string> metrics;  ///< files or vertex attributes
  double hmin = 0;
  double hmax = 0;
  bool anisotropic = false;
  double gradation = 1.5;
  double ridge_angle = 45;
  std::string ridges;  ///< a file

  /// Whether they ask for anything.
  bool ask() const {
    return size > 0 || points > 0 || !error.empty() || !fields.empty() || !metrics.empty();
  }
};

/// The flags that ask for something, as messages list them.
inline constexpr const char* metric_flags_that_ask =
    "--size, --points, --error, --field or --metric";

/// Adds --size, --points, --error and the rest to a command.
void add_metric_flags(CLI::App& command, MetricFlags& flags);

/// Adds a flag for a length, which may be given as a part of the diagonal of the box around a mesh.
CLI::Option* add_length(CLI::App& command, const std::string& name, std::string& text,
                        const std::string& description);

/// What such a flag means for a mesh; 0 if it was not given.
double length_of(Run& run, const std::string& text, const TriangleSoup& mesh);

/// Throws CLI::ValidationError, which says what to give, where flags contradict each other or are
/// missing: for before anything is read.
void check_metric_flags(const CLI::App& command, const MetricFlags& flags);

/// Gives a mesh the ridges of the file that --ridges names, if it does, besides those it has.
/// Throws InputError, naming the file.
void take_ridges(Run& run, const MetricFlags& flags, TriangleSoup& mesh);

/// The metric that the flags ask for, as a stage of the run. Reads `.sol` files. Throws InputError,
/// naming the file.
remesh::MetricResult make_metric(Run& run, const MetricFlags& flags, const TriangleSoup& mesh);

/// Points expected, lengths, aspect, and vertices shortened by gradation.
void report_metric(Run& run, const remesh::MetricReport& report);

}  // namespace tessera::cli
