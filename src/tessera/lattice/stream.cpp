// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/lattice/stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tessera/exec/buffer.h"
#include "tessera/lattice/triangulate.h"

namespace tessera::lattice {
namespace {

/// Measured: a strut of a block, with those around the block and all that it takes to trim them.
constexpr double meta_bytes_a_strut = 1500;

/// And its facets, with the points they are made of. A strut has about 33 at 2 %.
double facet_bytes_a_strut(double chord_error) {
  return 33 * std::sqrt(0.02 / chord_error) * (2.5 * sizeof(Facet));
}

/// Another worker failed, or was cancelled: its exception is the one to throw.
struct Stopped : std::exception {};

/// Lets blocks pass one after the other, whichever is ready first.
class Turns {
 public:
  /// Returns when all blocks before this one have passed.
  void wait(std::uint64_t block) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ == block || stopped_; });
    if (stopped_) throw Stopped();
  }
  void pass() {
    const std::lock_guard lock(mutex_);
    ++next_;
    changed_.notify_all();
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0;
  bool stopped_ = false;
};

class Pipeline {
 public:
  Pipeline(const exec::Device& device, const LatticeSource& source, const StreamOptions& options)
      : device_(device),
        source_(source),
        progress_(options.progress, "lattice", source.struts(), "struts") {
    // As many as have room for a block each.
    const double room = static_cast<double>(options.memory) /
                        (meta_bytes_a_strut * static_cast<double>(source.largest_block() + 1));
    workers_ = worker_count(device);
    if (room < static_cast<double>(workers_))
      workers_ = std::max<std::size_t>(1, static_cast<std::size_t>(room));
    // Few blocks are better shared by all threads than given one to each.
    if (source.blocks() < workers_) workers_ = 1;
    memory_ = static_cast<double>(options.memory) / static_cast<double>(workers_);
  }

  /// On a GPU enough to keep it busy while others make blocks and copy.
  static std::size_t worker_count(const exec::Device& device) {
    constexpr std::size_t gpu_workers = 6;
    return device.backend() == exec::Backend::cuda ? gpu_workers
                                                   : static_cast<std::size_t>(device.threads());
  }

  /// For each worker.
  double memory() const { return memory_; }

  /// Calls work(state, stream, block) for all blocks; each worker has a state of its own. After an
  /// exception, turns are stopped, and it is thrown when all workers have ended.
  template <class State, class Work>
  void run(std::span<Turns> turns, const Work& work) {
    const auto worker = [&] { run_worker<State>(turns, work); };
    std::vector<std::thread> threads;
    try {
      for (std::size_t i = 1; i < workers_; ++i) threads.emplace_back(worker);
    } catch (const std::system_error&) {
      // The system has no more threads: those that there are do it.
    }
    worker();
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  template <class State, class Work>
  void run_worker(std::span<Turns> turns, const Work& work) {
    try {
      State state;
      const bool is_cpu = device_.backend() == exec::Backend::cpu;
      const exec::Device own = is_cpu && workers_ > 1 ? exec::Device::cpu(1) : device_;
      const exec::Stream stream = is_cpu ? exec::Stream(own) : exec::Stream::create(own);
      for (std::uint64_t i = 0; (i = next_.fetch_add(1)) < source_.blocks();) {
        LatticeBlock block = source_.block(i);
        block.number = i;
        const Index count = block.count;
        work(state, stream, std::move(block));
        progress_.advance(count);
      }
    } catch (const Stopped&) {
      return;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_ = source_.blocks();
      for (Turns& t : turns) t.stop();
    }
  }

  const exec::Device& device_;
  const LatticeSource& source_;
  Progress progress_;
  std::size_t workers_;
  double memory_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
};

MetaMesh meta_mesh_of(const exec::Stream& stream, const LatticeBlock& block) {
  return block.arcs ? upload_meta_mesh(stream, block) : build_meta_mesh(stream, block);
}

void add(StreamReport& report, const LatticeBlock& block, const MetaMesh& mesh) {
  report.struts += block.count;
  report.arcs += mesh.arcs();
  report.treated.capsules += mesh.report().capsules;
  report.treated.swallowed += mesh.report().swallowed;
  report.treated.pinched += mesh.report().pinched;
  report.treated.closed_nodes += mesh.report().closed_nodes;
}

/// Brings facets to where the host can read them.
class HostFacets {
 public:
  /// Calls f(part, number of its first facet) for all of them.
  template <class F>
  void visit(const exec::Stream& stream, const exec::Buffer<Facet>& facets, const F& f) {
    if (stream.backend() == exec::Backend::cpu) {
      f(std::span(facets.const_view().data(), facets.size()), std::size_t{0});
      return;
    }
    // Page-locked memory is dear to get: a part at a time.
    if (host_.size() == 0) host_ = exec::HostBuffer<Facet>(stream, facets_a_part);
    for (std::size_t at = 0; at < facets.size(); at += facets_a_part) {
      const std::size_t count = std::min(facets_a_part, facets.size() - at);
      exec::copy_to_host(stream, host_.span().first(count), facets.const_view().subview(at, count));
      stream.synchronize();
      f(std::span<const Facet>(host_.span().first(count)), at);
    }
  }

 private:
  static constexpr std::size_t facets_a_part = (std::size_t{32} << 20) / sizeof(Facet);
  exec::HostBuffer<Facet> host_;
};

}  // namespace

Index suitable_block(const exec::Device& device, const StreamOptions& options) {
  // As large as the caches, and as it takes to fill a GPU.
  const Index fastest = device.backend() == exec::Backend::cuda ? 1 << 18 : 1 << 14;
  const double each = static_cast<double>(options.memory) /
                      static_cast<double>(Pipeline::worker_count(device)) /
                      (meta_bytes_a_strut + facet_bytes_a_strut(0.02));
  return each < fastest ? std::max<Index>(1024, static_cast<Index>(each)) : fastest;
}

StreamReport mesh_stream(const exec::Device& device, const LatticeSource& source,
                         const std::vector<double>& chord_errors, const StreamOptions& options,
                         const FacetSink& sink) {
  StreamReport report;
  report.facets.resize(chord_errors.size());
  std::mutex report_mutex;
  std::vector<Turns> turns(chord_errors.size());
  Pipeline pipeline(device, source, options);
  const auto work = [&](HostFacets& host, const exec::Stream& stream, const LatticeBlock& block) {
    const MetaMesh mesh = meta_mesh_of(stream, block);
    {
      const std::lock_guard lock(report_mutex);
      add(report, block, mesh);
    }
    for (std::size_t which = 0; which < chord_errors.size(); ++which) {
      const double error = chord_errors[which];
      std::uint64_t& facets = report.facets[which];
      const double room = pipeline.memory() - meta_bytes_a_strut * block.count;
      const double fitting = std::max(1024.0, room / facet_bytes_a_strut(error));
      if (fitting >= block.count) {
        const exec::Buffer<Facet> own = triangulate(mesh, error, block.first, block.count);
        turns[which].wait(block.number);
        const std::uint64_t first = facets;
        facets += own.size();
        turns[which].pass();
        host.visit(stream, own, [&](std::span<const Facet> part, std::size_t at) {
          sink(which, first + at, part);
        });
        continue;
      }
      // Parts are numbered as they come: other blocks wait.
      turns[which].wait(block.number);
      const auto part = static_cast<Index>(fitting);
      for (Index at = 0; at < block.count; at += part) {
        const Index count = std::min(part, block.count - at);
        const exec::Buffer<Facet> own = triangulate(mesh, error, block.first + at, count);
        host.visit(stream, own, [&](std::span<const Facet> piece, std::size_t offset) {
          sink(which, facets + offset, piece);
        });
        facets += own.size();
      }
      turns[which].pass();
    }
  };
  pipeline.run<HostFacets>(turns, work);
  return report;
}

StreamReport meta_mesh_stream(const exec::Device& device, const LatticeSource& source,
                              const StreamOptions& options, const BlockSink& sink) {
  StreamReport report;
  std::array<Turns, 1> turns;
  Pipeline pipeline(device, source, options);
  struct Nothing {};
  pipeline.run<Nothing>(turns, [&](Nothing&, const exec::Stream& stream, LatticeBlock block) {
    const MetaMesh mesh = meta_mesh_of(stream, block);
    if (!block.arcs) block.arcs = download_loops(mesh, block);
    turns[0].wait(block.number);
    add(report, block, mesh);
    sink(std::move(block));
    turns[0].pass();
  });
  return report;
}

}  // namespace tessera::lattice
