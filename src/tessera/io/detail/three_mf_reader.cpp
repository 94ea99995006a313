// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// 3MF through lib3mf 1.x and its C interface. The library unpacks and parses the file in one thread
// and keeps a copy of the meshes while we make ours: at 1.1 million faces the peak was 2.6 times
// the arrays returned. A file of deeply nested components can keep it busy for ever, for it visits
// every placement when it checks the build.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <Model/COM/NMR_DLLInterfaces.h>
#include <fmt/format.h>

#include "tessera/core/error.h"
#include "tessera/core/parallel.h"
#include "tessera/core/progress.h"
#include "tessera/io/detail/source.h"

namespace tessera::io::detail {
namespace {

using namespace NMR;

/// Owns an object of the library; every kind is the same type to C.
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != nullptr) lib3mf_release(object_);
  }

  PLib3MFBase* get() const { return object_; }

  /// Where a call of the library puts a new object.
  PLib3MFBase** out() { return &object_; }

 private:
  PLib3MFBase* object_ = nullptr;
};

/// What went wrong in the last call with `object`, in the library's words.
std::string last_error(const Handle& object) {
  DWORD code = 0;
  LPCSTR message = nullptr;
  const bool known =
      object.get() != nullptr && lib3mf_getlasterror(object.get(), &code, &message) == LIB3MF_OK;
  return known && message != nullptr ? message : "unknown error";
}

/// Passes the library's progress, in percent, on to ours.
class Reporter {
 public:
  Reporter(const ProgressCallback& callback, std::string_view stage)
      : progress_(callback, stage, 100) {}

  /// For lib3mf_..._setprogresscallback, with the reporter as user data. False stops the library.
  static bool report(int percent, ProgressIdentifier, void* self) {
    auto& reporter = *static_cast<Reporter*>(self);
    try {
      const int more = std::max(0, percent - reporter.done_);
      reporter.done_ += more;
      reporter.progress_.advance(static_cast<std::uint64_t>(more));
      return true;
    } catch (const Cancelled&) {  // no exception may pass through the library
      reporter.cancelled_ = true;
      return false;
    }
  }

  /// After a call that failed: throws Cancelled if that was why.
  void check_cancelled() const {
    if (cancelled_) throw Cancelled();
  }

 private:
  Progress progress_;
  int done_ = 0;
  bool cancelled_ = false;
};

/// An affine map; the columns of the linear part, then the translation.
struct Transform {
  Vec3d columns[4] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};

  Vec3d linear(const Vec3d& p) const {
    return columns[0] * p[0] + columns[1] * p[1] + columns[2] * p[2];
  }
  Vec3d operator()(const Vec3d& p) const { return linear(p) + columns[3]; }

  /// Of what was a unit cube; negative if the map mirrors.
  double volume() const { return dot(cross(columns[0], columns[1]), columns[2]); }
  bool mirrors() const { return volume() < 0; }

  /// First `inner`, then this.
  Transform after(const Transform& inner) const {
    return {{linear(inner.columns[0]), linear(inner.columns[1]), linear(inner.columns[2]),
             (*this)(inner.columns[3])}};
  }

  static Transform from(const MODELTRANSFORM& m) {
    Transform t;
    for (int column = 0; column < 4; ++column)
      for (int row = 0; row < 3; ++row) t.columns[column][row] = m.m_fFields[row][column];
    return t;
  }
};

/// What an object amounts to once everything that it refers to has been copied into its place.
struct Size {
  std::uint64_t placements = 0;
  std::uint64_t vertices = 0;
  std::uint64_t triangles = 0;

  void add(const Size& other, std::uint64_t limit) {
    placements = std::min(placements + other.placements, limit);
    vertices = std::min(vertices + other.vertices, limit);
    triangles = std::min(triangles + other.triangles, limit);
  }
};

class Reader {
 public:
  explicit Reader(const Source& source) : source_(source) {}

  ReadResult read() {
    const std::vector<Item> items = open();
    const Size total = size_of(items);
    result_.mesh.precision = Precision::float32;
    result_.mesh.positions.resize(total.vertices);
    result_.mesh.triangles.resize(total.triangles);
    Progress progress(source_.progress, "copying", total.vertices + total.triangles);
    for (const Item& item : items) place(item.id, item.transform, progress);
    if (beams_ > 0)
      result_.notes.push_back(fmt::format("a beam lattice of {} beams was not read", beams_));
    return std::move(result_);
  }

  ReadLatticeResult read_beams() {
    for (const Item& item : open()) place_beams(item.id, item.transform);
    if (graph_.struts.empty()) source_.fail("it has no beam lattice");
    if (cut_caps_ > 0)
      result_.notes.push_back(
          fmt::format("{} beams ask for ends that are cut off; they got round ones", cut_caps_));
    if (meshes_beside_ > 0)
      result_.notes.push_back(fmt::format(
          "{} triangles beside the beams were not read as part of the lattice", meshes_beside_));
    return {std::move(graph_), std::move(clippings_), 0, std::move(result_.notes)};
  }

 private:
  struct Item {
    DWORD id;
    Transform transform;
  };

  static constexpr std::uint64_t limit = std::uint64_t{1} << 40;  ///< counts stop here

  /// Loads the file and says what is to be built, if that can be held in memory.
  std::vector<Item> open() {
    load();
    note_unit();
    note_warnings();
    std::vector<Item> items = find_items();
    check_size(size_of(items));
    return items;
  }

  Size size_of(const std::vector<Item>& items) {
    Size total{};
    for (const Item& item : items) total.add(size_of(item.id, 0), limit);
    return total;
  }

  void check(HRESULT result, const Handle& object) const {
    if (result != LIB3MF_OK)
      source_.fail(fmt::format("lib3mf cannot read it: {}", last_error(object)));
  }

  void load() {
    if (source_.bytes.empty()) source_.fail("the file is empty");
    Handle none;
    check(lib3mf_createmodel(model_.out()), none);
    check(lib3mf_model_queryreader(model_.get(), "3mf", reader_.out()), model_);
    Reporter reporter(source_.progress, "reading");
    check(lib3mf_reader_setprogresscallback(reader_.get(), Reporter::report, &reporter), reader_);
    // The library only reads the buffer, although its interface does not say so.
    auto* bytes = reinterpret_cast<BYTE*>(const_cast<char*>(source_.begin()));
    const HRESULT result = lib3mf_reader_readfrombuffer(reader_.get(), bytes, source_.bytes.size());
    reporter.check_cancelled();
    check(result, reader_);
  }

  void note_unit() {
    constexpr const char* units[] = {"micrometre", "millimetre", "centimetre",
                                     "inch",       "foot",       "metre"};
    DWORD unit = MODELUNIT_MILLIMETER;
    check(lib3mf_model_getunit(model_.get(), &unit), model_);
    if (unit != MODELUNIT_MILLIMETER && unit < std::size(units))
      result_.notes.push_back(
          fmt::format("coordinates are in the file's unit, the {}", units[unit]));
  }

  void note_warnings() {
    DWORD count = 0;
    check(lib3mf_reader_getwarningcount(reader_.get(), &count), reader_);
    if (count == 0) return;
    char text[512] = {};
    DWORD code = 0;
    ULONG needed = 0;
    lib3mf_reader_getwarningutf8(reader_.get(), 0, &code, text, sizeof text, &needed);
    text[sizeof text - 1] = '\0';
    result_.notes.push_back(
        fmt::format("lib3mf has {} warnings, the first of them: {}", count, text));
  }

  /// What is to be built, or where a file does not say, every mesh.
  std::vector<Item> find_items() const {
    std::vector<Item> items;
    Handle iterator;
    check(lib3mf_model_getbuilditems(model_.get(), iterator.out()), model_);
    BOOL more = 0;
    while (check(lib3mf_builditemiterator_movenext(iterator.get(), &more), iterator), more) {
      Handle item;
      check(lib3mf_builditemiterator_getcurrent(iterator.get(), item.out()), iterator);
      DWORD id = 0;
      MODELTRANSFORM transform{};
      check(lib3mf_builditem_getobjectresourceid(item.get(), &id), item);
      check(lib3mf_builditem_getobjecttransform(item.get(), &transform), item);
      items.push_back({id, Transform::from(transform)});
    }
    if (!items.empty()) return items;
    Handle meshes;
    check(lib3mf_model_getmeshobjects(model_.get(), meshes.out()), model_);
    while (check(lib3mf_resourceiterator_movenext(meshes.get(), &more), meshes), more) {
      Handle mesh;
      check(lib3mf_resourceiterator_getcurrent(meshes.get(), mesh.out()), meshes);
      DWORD id = 0;
      check(lib3mf_resource_getresourceid(mesh.get(), &id), mesh);
      items.push_back({id, {}});
    }
    return items;
  }

  Handle mesh_object(DWORD id) const {
    Handle mesh;
    if (lib3mf_model_getmeshobjectbyid(model_.get(), id, mesh.out()) != LIB3MF_OK) return {};
    return mesh;
  }

  std::vector<Item> components(DWORD id) const {
    Handle object;
    check(lib3mf_model_getcomponentsobjectbyid(model_.get(), id, object.out()), model_);
    DWORD count = 0;
    check(lib3mf_componentsobject_getcomponentcount(object.get(), &count), object);
    std::vector<Item> items(count);
    for (DWORD i = 0; i < count; ++i) {
      Handle component;
      MODELTRANSFORM transform{};
      check(lib3mf_componentsobject_getcomponent(object.get(), i, component.out()), object);
      check(lib3mf_component_getobjectresourceid(component.get(), &items[i].id), component);
      check(lib3mf_component_gettransform(component.get(), &transform), component);
      items[i].transform = Transform::from(transform);
    }
    return items;
  }

  /// Objects in objects in objects can stand for more than any memory holds; so this is worked out
  /// once for each object, before anything is copied.
  Size size_of(DWORD id, int depth) {
    constexpr int deepest = 1000;
    if (depth > deepest) source_.fail("components are nested too deeply");
    if (const auto known = sizes_.find(id); known != sizes_.end()) return known->second;
    Size size{1, 0, 0};
    if (const Handle mesh = mesh_object(id); mesh.get() != nullptr) {
      DWORD vertices = 0;
      DWORD triangles = 0;
      check(lib3mf_meshobject_getvertexcount(mesh.get(), &vertices), mesh);
      check(lib3mf_meshobject_gettrianglecount(mesh.get(), &triangles), mesh);
      size = {1, vertices, triangles};
    } else {
      for (const Item& item : components(id)) size.add(size_of(item.id, depth + 1), limit);
    }
    sizes_[id] = size;
    return size;
  }

  void check_size(const Size& total) const {
    source_.check_counts(total.vertices, total.triangles);
    // A part of a few bytes can be placed a few thousand times, but not a billion times.
    constexpr std::uint64_t harmless = std::uint64_t{1} << 26;
    const std::uint64_t most = std::max(harmless, 1000 * std::uint64_t{source_.bytes.size()});
    if (total.placements > most || total.vertices > most || total.triangles > most)
      source_.fail(
          fmt::format("its {} bytes stand for {} vertices and {} triangles in {} "
                      "placements, which is not credible",
                      source_.bytes.size(), total.vertices, total.triangles, total.placements));
  }

  void place(DWORD id, const Transform& transform, Progress& progress) {
    const Handle mesh = mesh_object(id);
    if (mesh.get() == nullptr) {
      for (const Item& item : components(id))
        place(item.id, transform.after(item.transform), progress);
      return;
    }
    DWORD beams = 0;
    check(lib3mf_meshobject_getbeamcount(mesh.get(), &beams), mesh);
    beams_ += beams;
    const Size size = sizes_.at(id);
    if (size.vertices > 0) copy_vertices(mesh, size, transform);
    if (size.triangles > 0) copy_triangles(mesh, size, transform);
    next_.add(size, limit);
    progress.advance(size.vertices + size.triangles);
  }

  void copy_vertices(const Handle& mesh, const Size& size, const Transform& transform) {
    Array<MODELMESHVERTEX> vertices(size.vertices);
    DWORD count = 0;
    check(lib3mf_meshobject_getvertices(mesh.get(), vertices.data(),
                                        static_cast<DWORD>(size.vertices), &count),
          mesh);
    Vec3d* out = result_.mesh.positions.data() + next_.vertices;
    parallel_for_ranges(size.vertices, 16384, [&](std::size_t begin, std::size_t end) {
      for (std::uint64_t v = begin; v < end; ++v) {
        const FLOAT* p = vertices[v].m_fPosition;
        out[v] = transform({p[0], p[1], p[2]});
      }
    });
    for (std::uint64_t v = 0; v < size.vertices; ++v)
      if (!std::isfinite(out[v][0]) || !std::isfinite(out[v][1]) || !std::isfinite(out[v][2]))
        source_.fail(
            fmt::format("vertex {} has a coordinate that is not finite", next_.vertices + v));
  }

  void copy_triangles(const Handle& mesh, const Size& size, const Transform& transform) {
    static_assert(sizeof(MODELMESHTRIANGLE) == sizeof(Triangle));
    Triangle* out = result_.mesh.triangles.data() + next_.triangles;
    DWORD count = 0;
    check(
        lib3mf_meshobject_gettriangleindices(mesh.get(), reinterpret_cast<MODELMESHTRIANGLE*>(out),
                                             static_cast<DWORD>(size.triangles), &count),
        mesh);
    const bool mirrors = transform.mirrors();
    const auto first = static_cast<Index>(next_.vertices);
    for (std::uint64_t f = 0; f < size.triangles; ++f) {
      Triangle& t = out[f];
      if (std::max({t[0], t[1], t[2]}) >= size.vertices)
        source_.fail(fmt::format("triangle {} refers to vertex {}, but its mesh has only {}", f,
                                 std::max({t[0], t[1], t[2]}), size.vertices));
      if (mirrors) std::swap(t[1], t[2]);  // the outside stays the outside
      t += {first, first, first};
    }
  }

  void place_beams(DWORD id, const Transform& transform) {
    const Handle mesh = mesh_object(id);
    if (mesh.get() == nullptr) {
      for (const Item& item : components(id)) place_beams(item.id, transform.after(item.transform));
      return;
    }
    const Size size = sizes_.at(id);
    DWORD count = 0;
    check(lib3mf_meshobject_getbeamcount(mesh.get(), &count), mesh);
    meshes_beside_ += size.triangles;
    if (count == 0) return;
    if (graph_.struts.size() + count > LatticeGraph::max_struts)
      source_.fail("it has more beams than one lattice can hold");
    result_.mesh.positions.resize(size.vertices);
    next_ = {};
    copy_vertices(mesh, size, transform);
    const auto first = static_cast<Index>(graph_.nodes.size());
    append(graph_.nodes, result_.mesh.positions);
    copy_beams(mesh, count, first, size.vertices, transform);
    place_clipping(mesh, count, transform);
  }

  /// Of the last `count` struts.
  void place_clipping(const Handle& beams, DWORD count, const Transform& transform) {
    eModelBeamLatticeClipMode clip = MODELBEAMLATTICECLIPMODE_NONE;
    DWORD id = 0;
    check(lib3mf_meshobject_getbeamlattice_clipping(beams.get(), &clip, &id), beams);
    if (clip == MODELBEAMLATTICECLIPMODE_NONE) return;
    const Handle mesh = mesh_object(id);
    if (mesh.get() == nullptr) source_.fail("what is to clip its beams is no mesh");
    const Size size = size_of(id, 0);
    clipping_size_.add(size, limit);
    check_size(clipping_size_);
    result_.mesh = {};
    result_.mesh.precision = Precision::float32;
    result_.mesh.positions.resize(size.vertices);
    result_.mesh.triangles.resize(size.triangles);
    next_ = {};
    if (size.vertices > 0) copy_vertices(mesh, size, transform);
    if (size.triangles > 0) copy_triangles(mesh, size, transform);
    clippings_.push_back(
        {std::exchange(result_.mesh, {}),
         clip == MODELBEAMLATTICECLIPMODE_INSIDE ? ClipSide::inside : ClipSide::outside,
         graph_.struts.size() - count, count});
  }

  template <class T>
  static void append(Array<T>& to, const Array<T>& from) {
    const std::size_t size = to.size();
    to.resize(size + from.size());
    std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(size));
  }

  void copy_beams(const Handle& mesh, DWORD count, Index first_node, std::uint64_t nodes,
                  const Transform& transform) {
    Array<MODELMESHBEAM> beams(count);
    check(lib3mf_meshobject_getbeamindices(mesh.get(), beams.data(), count, nullptr), mesh);
    const std::size_t first = graph_.struts.size();
    graph_.struts.resize(first + count);
    graph_.radii.resize(first + count);
    const double scale = std::cbrt(std::abs(transform.volume()));
    for (DWORD b = 0; b < count; ++b) {
      const MODELMESHBEAM& beam = beams[b];
      for (int i = 0; i < 2; ++i) {
        if (beam.m_nIndices[i] >= nodes)
          source_.fail(fmt::format("beam {} refers to vertex {}, but its mesh has only {}", b,
                                   beam.m_nIndices[i], nodes));
        const auto radius = static_cast<float>(beam.m_dRadius[i] * scale);
        if (!std::isfinite(radius) || radius < 0)
          source_.fail(fmt::format("beam {} has the radius {}", b, beam.m_dRadius[i]));
        graph_.struts[first + b][i] = first_node + static_cast<Index>(beam.m_nIndices[i]);
        graph_.radii[first + b][i] = radius;
      }
      if (beam.m_eCapMode[0] == MODELBEAMLATTICECAPMODE_BUTT ||
          beam.m_eCapMode[1] == MODELBEAMLATTICECAPMODE_BUTT)
        ++cut_caps_;
    }
  }

  const Source& source_;
  Handle model_;
  Handle reader_;
  ReadResult result_;
  std::map<DWORD, Size> sizes_;
  Size next_;  ///< where the next mesh goes
  std::uint64_t beams_ = 0;
  LatticeGraph graph_;
  std::vector<LatticeClipping> clippings_;
  Size clipping_size_;  ///< of all of them
  std::uint64_t cut_caps_ = 0;
  std::uint64_t meshes_beside_ = 0;
};

}  // namespace

ReadResult read_three_mf(const Source& source) {
  return Reader(source).read();
}

ReadLatticeResult read_three_mf_beams(const Source& source) {
  return Reader(source).read_beams();
}

}  // namespace tessera::io::detail
