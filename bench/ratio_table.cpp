// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "ratio_table.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace tessera::bench {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

bool RatioTable::ReportContext(const Context&) {
  return true;
}

void RatioTable::ReportRuns(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration || run.error_occurred) {
      if (run.error_occurred)
        GetErrorStream() << run.benchmark_name() << ": " << run.error_message << '\n';
      continue;
    }
    const std::string& name = run.run_name.function_name;
    const std::size_t slash = name.rfind('/');
    const std::string what = name.substr(0, slash);
    if (std::find(cases_.begin(), cases_.end(), what) == cases_.end()) cases_.push_back(what);
    milliseconds_[what][name.substr(slash + 1)].push_back(
        run.real_accumulated_time / static_cast<double>(run.iterations) * 1e3);
  }
}

void RatioTable::Finalize() {
  std::ostream& out = GetOutputStream();
  out << "| case |";
  for (const std::string& column : columns_) out << ' ' << column << " ms |";
  for (std::size_t i = 1; i < columns_.size(); ++i)
    out << ' ' << columns_[i] << " / " << columns_[0] << " |";
  out << "\n|---|";
  for (std::size_t i = 0; i < 2 * columns_.size() - 1; ++i) out << "---|";
  out << '\n' << std::fixed;
  for (const std::string& what : cases_) {
    auto& times = milliseconds_[what];
    out << "| " << what << " |" << std::setprecision(4);
    for (const std::string& column : columns_) {
      if (times.contains(column))
        out << ' ' << median(times[column]) << " |";
      else
        out << " |";
    }
    for (std::size_t i = 1; i < columns_.size(); ++i) {
      if (times.contains(columns_[i]) && times.contains(columns_[0]))
        out << ' ' << std::setprecision(2)
            << median(times[columns_[i]]) / median(times[columns_[0]]) << " |";
      else
        out << " |";
    }
    out << '\n';
  }
}

}  // namespace tessera::bench
