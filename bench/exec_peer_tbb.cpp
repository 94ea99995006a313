// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include "exec_peer.h"

namespace tessera::bench {
namespace {

using Range = tbb::blocked_range<std::uint32_t>;

class TbbPeer : public ExecPeer {
 public:
  void scale_and_add(std::uint32_t n, const float* x, float* y) override {
    tbb::parallel_for(Range(0, n), [=](const Range& r) {
      for (std::uint32_t i = r.begin(); i < r.end(); ++i) y[i] += 2.0f * x[i];
    });
  }

  double sum(std::uint32_t n, const double* x) override {
    return tbb::parallel_reduce(
        Range(0, n), 0.0,
        [=](const Range& r, double sum) {
          for (std::uint32_t i = r.begin(); i < r.end(); ++i) sum += x[i];
          return sum;
        },
        [](double a, double b) { return a + b; });
  }

  void exclusive_scan(std::uint32_t n, const std::uint32_t* x, std::uint32_t* y) override {
    tbb::parallel_scan(
        Range(0, n), 0u,
        [=](const Range& r, std::uint32_t sum, bool is_final) {
          for (std::uint32_t i = r.begin(); i < r.end(); ++i) {
            const std::uint32_t value = x[i];
            if (is_final) y[i] = sum;
            sum += value;
          }
          return sum;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
  }

  void sort_pairs(std::uint32_t n, std::uint32_t* keys, std::uint32_t*, std::uint32_t* values,
                  std::uint32_t*) override {
    pairs_.resize(n);
    tbb::parallel_for(Range(0, n), [=, this](const Range& r) {
      for (std::uint32_t i = r.begin(); i < r.end(); ++i) pairs_[i] = {keys[i], values[i]};
    });
    tbb::parallel_sort(pairs_.begin(), pairs_.end(),
                       [](const Pair& a, const Pair& b) { return a.key < b.key; });
    tbb::parallel_for(Range(0, n), [=, this](const Range& r) {
      for (std::uint32_t i = r.begin(); i < r.end(); ++i) {
        keys[i] = pairs_[i].key;
        values[i] = pairs_[i].value;
      }
    });
  }

  std::uint32_t compact(std::uint32_t n, const std::uint32_t* x, std::uint32_t* out) override {
    return tbb::parallel_scan(
        Range(0, n), 0u,
        [=](const Range& r, std::uint32_t kept, bool is_final) {
          for (std::uint32_t i = r.begin(); i < r.end(); ++i) {
            if (x[i] % 2 == 0) continue;
            if (is_final) out[kept] = i;
            ++kept;
          }
          return kept;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
  }

  void copy(std::size_t bytes, const void* from, void* to) override {
    constexpr std::size_t grain = std::size_t{1} << 20;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, bytes, grain), [=](const auto& r) {
      std::memcpy(static_cast<char*>(to) + r.begin(), static_cast<const char*>(from) + r.begin(),
                  r.size());
    });
  }

 private:
  struct Pair {
    std::uint32_t key;
    std::uint32_t value;
  };
  std::vector<Pair> pairs_;
};

}  // namespace

std::unique_ptr<ExecPeer> tbb_peer() {
  return std::make_unique<TbbPeer>();
}

}  // namespace tessera::bench
