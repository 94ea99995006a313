// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

namespace tessera::bench {

/// Prints benchmarks named "CASE/WHO" as one Markdown row a case: the median time of each WHO and
/// its ratio to the first one named, the peer. Everything in a row comes from one run.
class RatioTable : public benchmark::BenchmarkReporter {
 public:
  /// `columns`: who, in order; the first is the peer.
  explicit RatioTable(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  bool ReportContext(const Context& context) override;
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::vector<std::string> columns_;
  std::vector<std::string> cases_;  ///< in the order of their first run
  std::map<std::string, std::map<std::string, std::vector<double>>> milliseconds_;
};

}  // namespace tessera::bench
