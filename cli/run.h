// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "flags.h"
#include "progress_bar.h"
#include "tessera/core/arena.h"
#include "tessera/core/error.h"
#include "tessera/exec/device.h"
#include "tessera/io/polyhedra.h"
#include "tessera/io/triangles.h"

namespace tessera::cli {

/// Thrown by a command that was interrupted when it had written something already; says what.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// One run of a command: the device it runs on, what it reports, and how long its stages took.
class Run {
 public:
  explicit Run(const SharedFlags& flags) : flags_(flags), bar_(flags.quiet) {}
  /// Prints the notes of a run that failed: often they explain the error.
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// What --device and --threads ask for. Throws CLI::ValidationError where there is no such thing.
  exec::Device device() const;

  /// Throws DeviceError where that many faces, of so many bytes each, cannot fit: better before the
  /// work than after most of it. More faces than a mesh can have are left to the algorithm to
  /// refuse.
  static void require_memory(const exec::Device& device, std::uint64_t faces, double bytes_a_face);
  /// The same for any kind of element, `name`d in the plural.
  static void require_memory(const exec::Device& device, double count, const std::string& name,
                             double bytes_each);

  /// Shows a bar, and stops the work after Ctrl-C.
  ProgressCallback progress() { return bar_.callback(); }

  /// Runs f() as a stage of that name for --timings, with the threads of --threads, and returns
  /// what it returns. Algorithms know no files: their errors get the name of the input here.
  template <class F>
  auto stage(const std::string& name, const F& f) {
    const StageClock clock(*this, name);
    try {
      return Arena(flags_.threads).execute(f);
    } catch (const InputError& error) {
      throw InputError(input_.empty() ? error.what() : input_ + ": " + error.what());
    }
  }

  /// The same for a stage that reads or writes a file: its errors name that already.
  template <class F>
  auto file_stage(const std::string& name, const F& f) {
    const StageClock clock(*this, name);
    return Arena(flags_.threads).execute(f);
  }

  /// Reads a mesh and reports what was lost on the way.
  io::ReadResult read(const std::string& path);
  /// The same for what replaces faces: there must be some, and what is no face or has none, and so
  /// will be left out, is noted.
  io::ReadResult read_faces(const std::string& path);
  io::ReadPolyhedraResult read_polyhedra(const std::string& path);

  /// Writes a mesh; notes what is lost.
  io::WriteResult write_file(const std::string& path, const TriangleSoup& mesh,
                             io::WriteOptions options);
  /// Writes a mesh; reports file, counts and losses.
  void write(const std::string& path, const TriangleSoup& mesh, io::WriteOptions options);
  void write_polyhedra(const std::string& path, const PolyhedralSoup& mesh,
                       io::WriteOptions options);

  /// A line of the text report, and an entry of the JSON one.
  template <class T>
  void report(const std::string& key, const std::string& label, const std::string& text,
              const T& value) {
    lines_.emplace_back(label, text);
    json_[key] = value;
  }
  /// A line of the text report alone.
  void report_text(const std::string& label, const std::string& text) {
    lines_.emplace_back(label, text);
  }
  /// A count: the same in both.
  void report_count(const std::string& key, const std::string& label, std::uint64_t count);
  /// Something worth knowing that is no error.
  void note(const std::string& text) { notes_.push_back(text); }

  /// Normals of the input that no longer fit are worse than none: drops them, with a note of why.
  void drop_normals(TriangleSoup& mesh, const std::string& why);
  /// Removes the ridges of a mesh that is about to become another one, with a note.
  void drop_ridges(TriangleSoup& mesh);

  /// Labels and texts of the report so far.
  const std::vector<std::pair<std::string, std::string>>& lines() const { return lines_; }

  /// Prints the report on standard output, notes (unless in JSON) on standard error.
  void finish();

 private:
  class StageClock {
   public:
    StageClock(Run& run, std::string name) : run_(run), name_(std::move(name)) {}
    ~StageClock();
    StageClock(const StageClock&) = delete;
    StageClock& operator=(const StageClock&) = delete;

   private:
    Run& run_;
    std::string name_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  void print_notes() const;

  const SharedFlags& flags_;
  ProgressBar bar_;
  std::string input_;  ///< the last one that was read; empty before
  std::vector<std::pair<std::string, std::string>> lines_;
  std::vector<std::pair<std::string, double>> seconds_;
  std::vector<std::string> notes_;
  nlohmann::ordered_json json_ = nlohmann::ordered_json::object();
};

/// What a command does once the command line is parsed: f(run, options), then its report.
template <class Options, class F>
void on_command(CLI::App& command, const SharedFlags& flags,
                const std::shared_ptr<Options>& options, const F& f) {
  command.callback([options, f, &flags] {
    Run run(flags);
    f(run, *options);
    run.finish();
  });
}

/// 1114624 as "1,114,624".
std::string grouped(std::uint64_t number);

}  // namespace tessera::cli
