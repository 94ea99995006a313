// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "run.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tessera/core/memory.h"

namespace tessera::cli {

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

exec::Device Run::device() const {
  if (flags_.device == "cuda") {
    try {
      return exec::Device::cuda();
    } catch (const DeviceError& error) {
      throw CLI::ValidationError("--device cuda", error.what());
    }
  }
  if (flags_.device == "auto" && flags_.threads == 0) return exec::Device::best();
  return exec::Device::cpu(flags_.threads);
}

void Run::require_memory(const exec::Device& device, std::uint64_t faces, double bytes_a_face) {
  if (faces >= no_index / 3) return;
  require_memory(device, static_cast<double>(faces), "faces", bytes_a_face);
}

void Run::require_memory(const exec::Device& device, double count, const std::string& name,
                         double bytes_each) {
  // What a GPU computes comes back to the host.
  const auto free =
      static_cast<double>(std::min<std::uint64_t>(device.free_memory(), available_memory()));
  const double needed = count * bytes_each;
  constexpr double gib = 1 << 30;
  constexpr double nobody_has = 1e18;
  if (!(needed < nobody_has))
    throw DeviceError(fmt::format("so many {} need more memory than any machine has", name));
  if (needed > free)
    throw DeviceError(fmt::format("{} {} need about {:.1f} GiB of memory, {:.1f} GiB are free",
                                  grouped(static_cast<std::uint64_t>(count)), name, needed / gib,
                                  free / gib));
}

Run::~Run() {
  bar_.clear();
  print_notes();
}

Run::StageClock::~StageClock() {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  run_.seconds_.emplace_back(name_, elapsed.count());
}

io::ReadResult Run::read(const std::string& path) {
  const std::optional<io::Format> format = io::format_of(path);
  if (format && !io::info(*format).readable && io::info(*format).cells_readable)
    throw InputError(
        fmt::format("{}: {} files hold volume meshes and cannot be read as surfaces; see 'tessera "
                    "volume info', and 'tessera volume boundary' for their surface",
                    path, io::info(*format).name));
  io::ReadOptions options;
  options.threads = flags_.threads;
  options.progress = progress();
  auto result = file_stage("read", [&] { return io::read_triangles(path, options); });
  input_ = path;
  for (const std::string& text : result.notes) note(path + ": " + text);
  return result;
}

io::ReadResult Run::read_faces(const std::string& path) {
  io::ReadResult result = read(path);
  const TriangleSoup& mesh = result.mesh;
  std::vector<bool> has_faces(mesh.positions.size());
  std::size_t repeated = 0;
  for (const Triangle& t : mesh.triangles) {
    const bool is_face = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
    if (!is_face) ++repeated;
    for (int k = 0; k < 3; ++k) has_faces[t[k]] = has_faces[t[k]] || is_face;
  }
  if (repeated == mesh.triangles.size())
    throw InputError(path + ": it has no faces of three vertices");
  const auto without = std::count(has_faces.begin(), has_faces.end(), false);
  if (without > 0) note(fmt::format("{}: {} vertices without faces are left out", path, without));
  if (repeated > 0)
    note(fmt::format("{}: {} faces with a repeated vertex are left out", path, repeated));
  return result;
}

io::ReadPolyhedraResult Run::read_polyhedra(const std::string& path) {
  io::ReadOptions options;
  options.threads = flags_.threads;
  options.progress = progress();
  auto result = file_stage("read", [&] { return io::read_polyhedra(path, options); });
  input_ = path;
  for (const std::string& text : result.notes) note(path + ": " + text);
  return result;
}

void Run::write_polyhedra(const std::string& path, const PolyhedralSoup& mesh,
                          io::WriteOptions options) {
  options.threads = flags_.threads;
  options.progress = progress();
  const auto result = file_stage("write", [&] { return io::write_polyhedra(path, mesh, options); });
  for (const std::string& text : result.notes) note(path + ": " + text);
  std::string files;
  for (const auto& file : result.files) files += (files.empty() ? "" : ", ") + file.string();
  report("output", "written", files, path);
  report_count("vertices", "vertices", mesh.positions.size());
  report_count("segments", "segments", result.segments);
  report_count("polygons", "polygons", result.polygons);
  report_count("cells", "cells", result.cells);
  report("bytes", "bytes", grouped(result.bytes), result.bytes);
}

io::WriteResult Run::write_file(const std::string& path, const TriangleSoup& mesh,
                                io::WriteOptions options) {
  options.threads = flags_.threads;
  options.progress = progress();
  io::WriteResult result =
      file_stage("write", [&] { return io::write_triangles(path, mesh, options); });
  for (const std::string& text : result.notes) note(path + ": " + text);
  return result;
}

void Run::write(const std::string& path, const TriangleSoup& mesh, io::WriteOptions options) {
  const io::WriteResult result = write_file(path, mesh, std::move(options));
  const std::string fields = result.fields_file ? result.fields_file->string() : "";
  report("output", "written", path + (fields.empty() ? "" : ", " + fields), path);
  if (result.fields_file) json_["fields_file"] = fields;
  if (result.vertices)
    report_count("vertices", "vertices", *result.vertices);
  else
    report("vertices", "vertices", "none: the format stores corners of faces", nullptr);
  report_count("faces", "faces", result.faces);
  report("bytes", "bytes", grouped(result.bytes), result.bytes);
}

void Run::report_count(const std::string& key, const std::string& label, std::uint64_t count) {
  report(key, label, grouped(count), count);
}

void Run::drop_normals(TriangleSoup& mesh, const std::string& why) {
  std::size_t dropped = 0;
  for (Attributes* attributes : {&mesh.vertex_attributes, &mesh.face_attributes})
    dropped += std::erase_if(*attributes, [](const Attribute& a) { return a.name == "normal"; });
  if (dropped > 0) note("normals of the input were dropped: " + why);
}

void Run::drop_ridges(TriangleSoup& mesh) {
  if (mesh.ridges.empty()) return;
  mesh.ridges = {};
  note("ridges of the input were dropped");
}

void Run::finish() {
  bar_.clear();
  if (flags_.json) {
    json_["notes"] = notes_;
    if (flags_.timings) {
      auto& timings = json_["timings"] = nlohmann::ordered_json::object();
      for (const auto& [name, seconds] : seconds_)  // of all inputs together
        timings[name] = timings.value(name, 0.0) + seconds;
    }
    // Names of files and attributes may be in any encoding; a report is UTF-8.
    std::cout << json_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
    notes_.clear();
    return;
  }
  if (flags_.timings)
    for (const auto& [name, seconds] : seconds_)
      lines_.emplace_back(name, fmt::format("{:.3f} s", seconds));
  const std::size_t width = std::accumulate(
      lines_.begin(), lines_.end(), std::size_t{0},
      [](std::size_t w, const auto& line) { return std::max(w, line.first.size()); });
  if (!flags_.quiet)
    for (const auto& [label, text] : lines_) fmt::print("{:<{}}  {}\n", label, width, text);
  print_notes();
  notes_.clear();
}

void Run::print_notes() const {
  for (const std::string& text : notes_) std::fprintf(stderr, "note: %s\n", text.c_str());
}

}  // namespace tessera::cli
