// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
//
// CGAL as an independent judge of what Tessera reads, writes and counts.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/IO/polygon_soup_io.h>
#include <CGAL/Polygon_mesh_processing/bbox.h>
#include <CGAL/Polygon_mesh_processing/border.h>
#include <CGAL/Polygon_mesh_processing/connected_components.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/repair_polygon_soup.h>
#include <CGAL/Surface_mesh.h>
#include <gtest/gtest.h>

#include "io_support.h"
#include "surface_meshes.h"
#include "tessera/io/triangles.h"
#include "tessera/surface/analysis.h"
#include "tessera/surface/bvh.h"
#include "tessera/surface/compare.h"
#include "test_device.h"

namespace {

namespace fs = std::filesystem;
namespace pmp = CGAL::Polygon_mesh_processing;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using SurfaceMesh = CGAL::Surface_mesh<Point>;
using tessera::TriangleSoup;
using tessera::io::testing::TemporaryFolder;

/// Polygons as CGAL has them.
struct Soup {
  std::vector<Point> points;
  std::vector<std::vector<std::size_t>> polygons;
};

Soup to_cgal(const TriangleSoup& mesh) {
  Soup soup;
  for (const tessera::Vec3d& p : mesh.positions) soup.points.emplace_back(p[0], p[1], p[2]);
  for (const tessera::Triangle& t : mesh.triangles) soup.polygons.push_back({t[0], t[1], t[2]});
  return soup;
}

tessera::Vec3d to_vec(const Point& p) {
  return {p.x(), p.y(), p.z()};
}

bool has_repeated_vertex(const std::vector<std::size_t>& p) {
  return p[0] == p[1] || p[1] == p[2] || p[2] == p[0];
}

/// What CGAL finds while it makes a mesh of a soup.
struct Findings {
  std::set<std::pair<std::size_t, std::size_t>> edges;  ///< of more than two faces
  std::set<std::size_t> vertices;                       ///< of several fans, or ends of such edges
  std::size_t reversed = 0;
};

/// CGAL copies its visitors.
struct Visitor : pmp::Default_orientation_visitor {
  explicit Visitor(Findings& findings) : found(&findings) {}

  void non_manifold_edge(std::size_t a, std::size_t b, std::size_t) {
    found->edges.insert(std::minmax(a, b));
    found->vertices.insert({a, b});
  }
  void non_manifold_vertex(std::size_t v, std::size_t) { found->vertices.insert(v); }
  void polygon_orientation_reversed(std::size_t) { ++found->reversed; }

  Findings* found;
};

void expect_near(double ours, double theirs, const char* what) {
  EXPECT_NEAR(ours, theirs, 1e-9 * std::max(1.0, std::abs(theirs))) << what;
}

/// What a soup needs no connections for.
void compare_geometry(const tessera::surface::MeshInfo& info, const Soup& soup) {
  double area = 0;
  std::size_t degenerate = 0;
  CGAL::Bbox_3 box;
  for (const auto& polygon : soup.polygons) {
    const Point& a = soup.points[polygon[0]];
    const Point& b = soup.points[polygon[1]];
    const Point& c = soup.points[polygon[2]];
    area += std::sqrt(CGAL::squared_area(a, b, c));
    if (CGAL::collinear(a, b, c)) ++degenerate;
    box += a.bbox() + b.bbox() + c.bbox();
  }
  expect_near(info.area, area, "area");
  EXPECT_EQ(info.degenerate_faces, degenerate);
  ASSERT_EQ(info.bounding_box.has_value(), !soup.polygons.empty());
  if (!info.bounding_box) return;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(info.bounding_box->min[i], box.min(i));
    EXPECT_EQ(info.bounding_box->max[i], box.max(i));
  }
}

/// What a surface without non-manifold edges has, its vertices doubled where it touches itself.
void compare_mesh(const tessera::surface::MeshInfo& info, SurfaceMesh& mesh) {
  EXPECT_EQ(info.edges, mesh.number_of_edges());
  EXPECT_EQ(info.faces, mesh.number_of_faces());
  const auto component = mesh.add_property_map<SurfaceMesh::Face_index, std::size_t>("c").first;
  EXPECT_EQ(info.components, pmp::connected_components(mesh, component));
  EXPECT_EQ(info.closed, mesh.number_of_faces() > 0 && CGAL::is_closed(mesh));
  std::vector<SurfaceMesh::Halfedge_index> cycles;
  pmp::extract_boundary_cycles(mesh, std::back_inserter(cycles));
  EXPECT_EQ(info.boundary_loops, cycles.size());
  std::vector<SurfaceMesh::Halfedge_index> border;
  pmp::border_halfedges(mesh, std::back_inserter(border));
  EXPECT_EQ(info.boundary_edges, border.size());
  expect_near(info.area, pmp::area(mesh), "area of the mesh");
  if (mesh.number_of_edges() == 0) return;
  double shortest = std::numeric_limits<double>::infinity();
  double longest = 0;
  double sum = 0;
  for (const auto edge : mesh.edges()) {
    const double length = pmp::edge_length(edge, mesh);
    shortest = std::min(shortest, length);
    longest = std::max(longest, length);
    sum += length;
  }
  expect_near(info.min_edge_length, shortest, "min edge length");
  expect_near(info.max_edge_length, longest, "max edge length");
  expect_near(info.mean_edge_length, sum / static_cast<double>(mesh.number_of_edges()),
              "mean edge length");
}

/// Whether CGAL made a mesh of it, so that everything was compared.
bool compare(const TriangleSoup& input) {
  const tessera::surface::MeshInfo info = tessera::surface::analyze(test_device(), input);
  Soup soup = to_cgal(input);
  EXPECT_EQ(info.vertices, soup.points.size());
  EXPECT_EQ(info.faces, soup.polygons.size());
  compare_geometry(info, soup);
  EXPECT_EQ(info.unreferenced_vertices,
            pmp::remove_isolated_points_in_polygon_soup(soup.points, soup.polygons));
  const std::size_t referenced = soup.points.size();

  // CGAL has no faces with a repeated vertex at all; the brute-force twin judges those.
  if (std::any_of(soup.polygons.begin(), soup.polygons.end(), has_repeated_vertex)) return false;
  {
    auto polygons = soup.polygons;
    EXPECT_EQ(info.duplicate_faces,
              pmp::merge_duplicate_polygons_in_polygon_soup(soup.points, polygons));
  }

  const bool is_mesh = pmp::is_polygon_soup_a_polygon_mesh(soup.polygons);
  EXPECT_EQ(info.manifold && info.consistently_oriented, is_mesh);
  Findings found;
  pmp::orient_polygon_soup(soup.points, soup.polygons, CGAL::parameters::visitor(Visitor(found)));
  EXPECT_EQ(info.non_manifold_edges, found.edges.size());
  // CGAL cuts a one-sided surface open, and counts the ends of the cut.
  if (!info.orientable) {
    EXPECT_LE(info.non_manifold_vertices, found.vertices.size());
    return false;
  }
  EXPECT_EQ(info.non_manifold_vertices, found.vertices.size());
  EXPECT_EQ(info.manifold, found.vertices.empty());
  EXPECT_EQ(info.consistently_oriented, found.reversed == 0 && found.edges.empty());

  // Cut open along non-manifold edges, a surface has other edges, components and boundaries.
  if (!found.edges.empty()) return false;
  SurfaceMesh mesh;
  EXPECT_TRUE(pmp::is_polygon_soup_a_polygon_mesh(soup.polygons));
  pmp::polygon_soup_to_polygon_mesh(soup.points, soup.polygons, mesh);
  compare_mesh(info, mesh);
  const auto euler = static_cast<std::int64_t>(referenced + mesh.number_of_faces()) -
                     static_cast<std::int64_t>(mesh.number_of_edges());
  EXPECT_EQ(info.euler_characteristic, euler);
  EXPECT_EQ(info.volume.has_value(), info.closed && found.reversed == 0);
  if (info.volume) expect_near(*info.volume, pmp::volume(mesh), "volume");
  return true;
}

/// The folder of real meshes, if there is one.
fs::path data_folder() {
  if (const char* folder = std::getenv("TESSERA_TEST_DATA")) return folder;
#ifdef TESSERA_TEST_DATA
  return TESSERA_TEST_DATA;
#else
  return {};
#endif
}

std::vector<fs::path> data_files() {
  std::vector<fs::path> files;
  if (!fs::is_directory(data_folder())) return files;
  for (const fs::directory_entry& entry : fs::directory_iterator(data_folder()))
    if (entry.path().extension() == ".obj") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Oracle, AgreesAboutSmallMeshes) {
  std::size_t complete = 0;
  for (const auto& [name, mesh] : surface_meshes()) {
    SCOPED_TRACE(name);
    if (compare(mesh)) ++complete;
  }
  EXPECT_GE(complete, 9U);
}

TEST(Oracle, AgreesAboutGeneratedMeshes) {
  using tessera::surface::Shape;
  for (const Shape shape :
       {Shape::icosphere, Shape::torus, Shape::plane, Shape::cylinder, Shape::noisy_sphere}) {
    SCOPED_TRACE(static_cast<int>(shape));
    EXPECT_TRUE(compare(generated(shape, 20000)));
  }
  compare(generated(Shape::soup, 5000));
}

TEST(Oracle, AgreesAboutRealMeshes) {
  for (const fs::path& file : data_files()) {
    SCOPED_TRACE(file.filename().string());
    compare(tessera::io::read_triangles(file).mesh);
  }
}

using Triangles = std::vector<Kernel::Triangle_3>;
using TrianglePrimitive = CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>;
using BoxTree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, TrianglePrimitive>>;

/// Faces that span an area: CGAL's predicates want no others.
Triangles triangles_of(const TriangleSoup& mesh) {
  Triangles triangles;
  for (const tessera::Triangle& t : mesh.triangles) {
    const auto corner = [&](int k) {
      const tessera::Vec3d& p = mesh.positions[t[k]];
      return Point(p[0], p[1], p[2]);
    };
    const Kernel::Triangle_3 triangle(corner(0), corner(1), corner(2));
    if (!triangle.is_degenerate()) triangles.push_back(triangle);
  }
  return triangles;
}

double cgal_distance(const BoxTree& tree, const tessera::Vec3d& p) {
  return std::sqrt(tree.squared_distance(Point(p[0], p[1], p[2])));
}

/// Closest points of one mesh for points around it.
void compare_closest(const TriangleSoup& mesh, std::uint64_t count) {
  const Triangles triangles = triangles_of(mesh);
  if (triangles.empty() || triangles.size() < mesh.triangles.size()) return;
  const BoxTree tree(triangles.begin(), triangles.end());
  const CGAL::Bbox_3 box = tree.bbox();
  const tessera::Random random(3);
  tessera::Array<tessera::Vec3d> points;
  double size = 0;
  for (int k = 0; k < 3; ++k) size = std::max(size, box.max(k) - box.min(k));
  for (std::uint64_t i = 0; i < count; ++i) {
    tessera::Vec3d p;
    for (int k = 0; k < 3; ++k)
      p[k] =
          box.min(k) + size * (1.4 * random.uniform(3 * i + static_cast<std::uint64_t>(k)) - 0.2);
    points.push_back(p);
  }
  const tessera::surface::ClosestPoints found = tessera::surface::closest_points(
      test_device(), tessera::surface::Bvh(test_device(), mesh), points);
  for (std::size_t i = 0; i < points.size(); ++i)
    ASSERT_NEAR(found.distances[i], cgal_distance(tree, points[i]), 1e-9 * size) << i;
}

TEST(Oracle, FindsTheSameClosestPoints) {
  using tessera::surface::Shape;
  for (const auto& [name, mesh] : surface_meshes()) {
    SCOPED_TRACE(name);
    compare_closest(mesh, 200);
  }
  for (const Shape shape : {Shape::torus, Shape::noisy_sphere})
    compare_closest(generated(shape, 20000), 2000);
  for (const fs::path& file : data_files()) {
    SCOPED_TRACE(file.filename().string());
    compare_closest(tessera::io::read_triangles(file).mesh, 2000);
  }
}

TEST(Oracle, ComparesSurfacesTheSame) {
  using tessera::surface::Shape;
  const TriangleSoup a = generated(Shape::noisy_sphere, 5000);
  const TriangleSoup b = generated(Shape::icosphere, 2000);
  tessera::surface::CompareOptions options;
  options.samples = 200'000;
  options.vertex_distances = true;
  const tessera::surface::Comparison found =
      tessera::surface::compare(test_device(), a, b, options);
  const Triangles of_a = triangles_of(a);
  const Triangles of_b = triangles_of(b);
  const BoxTree tree(of_b.begin(), of_b.end());
  double farthest = 0;
  for (std::size_t v = 0; v < a.positions.size(); ++v) {
    const double expected = cgal_distance(tree, a.positions[v]);
    EXPECT_NEAR(found.a_to_b.vertex_distances[v], expected, 1e-9);
    farthest = std::max(farthest, expected);
  }
  EXPECT_NEAR(found.a_to_b.vertex_max, farthest, 1e-9);
  EXPECT_NEAR(found.a_to_b.max, cgal_distance(tree, found.a_to_b.farthest.point), 1e-9);
  // The mean over the surface by a rule of a hundred points a face.
  double sum = 0;
  double area = 0;
  constexpr int steps = 10;
  for (const Kernel::Triangle_3& t : of_a) {
    double face = 0;
    int count = 0;
    const auto add = [&](double u, double v) {
      const Point p = t[0] + u / steps * (t[1] - t[0]) + v / steps * (t[2] - t[0]);
      face += cgal_distance(tree, to_vec(p));
      ++count;
    };
    for (int i = 0; i < steps; ++i)
      for (int j = 0; i + j < steps; ++j) {
        add(i + 1 / 3.0, j + 1 / 3.0);
        if (i + j + 1 < steps) add(i + 2 / 3.0, j + 2 / 3.0);
      }
    const double weight = std::sqrt(t.squared_area());
    sum += weight * face / count;
    area += weight;
  }
  EXPECT_NEAR(found.a_to_b.mean, sum / area, 0.01 * sum / area);
}

/// The same points; the same triangles, or as many as the polygons make.
void compare_reading(const tessera::io::ReadResult& ours, const Soup& theirs) {
  // Text of single precision: one reader rounds it, the other does not.
  const bool single = ours.mesh.precision == tessera::Precision::float32;
  ASSERT_EQ(ours.mesh.positions.size(), theirs.points.size());
  for (std::size_t i = 0; i < theirs.points.size(); ++i) {
    const tessera::Vec3d a = ours.mesh.positions[i];
    const tessera::Vec3d b = to_vec(theirs.points[i]);
    const bool same = single ? tessera::cast<float>(a) == tessera::cast<float>(b) : a == b;
    ASSERT_TRUE(same) << "vertex " << i;
  }
  std::size_t face = 0;
  std::size_t polygons = 0;
  for (const auto& polygon : theirs.polygons) {
    ASSERT_LE(face + polygon.size() - 2, ours.mesh.triangles.size());
    if (polygon.size() == 3) {
      for (int i = 0; i < 3; ++i)
        ASSERT_EQ(ours.mesh.triangles[face][i], polygon[static_cast<std::size_t>(i)]);
    } else {
      ++polygons;
    }
    face += polygon.size() - 2;
  }
  EXPECT_EQ(ours.mesh.triangles.size(), face);
  EXPECT_EQ(ours.polygons, polygons);
}

TEST(Oracle, ReadsTheSameFromRealFiles) {
  for (const fs::path& file : data_files()) {
    SCOPED_TRACE(file.filename().string());
    Soup soup;
    ASSERT_TRUE(CGAL::IO::read_polygon_soup(file.string(), soup.points, soup.polygons));
    compare_reading(tessera::io::read_triangles(file), soup);
  }
}

TEST(Oracle, ReadsWhatWeWrite) {
  const TemporaryFolder folder;
  const TriangleSoup mesh =
      tessera::io::testing::rounded(generated(tessera::surface::Shape::noisy_sphere, 2000));
  for (const char* name : {"mesh.obj", "mesh.ply", "mesh.off", "mesh.stl"}) {
    for (const auto encoding : {tessera::io::Encoding::binary, tessera::io::Encoding::text}) {
      SCOPED_TRACE(name);
      tessera::io::WriteOptions options;
      options.encoding = encoding;
      tessera::io::write_triangles(folder / name, mesh, options);
      Soup soup;
      ASSERT_TRUE(
          CGAL::IO::read_polygon_soup((folder / name).string(), soup.points, soup.polygons));
      compare_reading(tessera::io::read_triangles(folder / name), soup);
      EXPECT_EQ(soup.polygons.size(), mesh.triangles.size());
    }
  }
}

TEST(Oracle, WritesWhatWeRead) {
  const TemporaryFolder folder;
  const TriangleSoup mesh =
      tessera::io::testing::rounded(generated(tessera::surface::Shape::noisy_sphere, 2000));
  Soup soup = to_cgal(mesh);
  soup.polygons.back() = {0, 1, 2, 3, 4};  // and a polygon, where the format can have one
  for (const char* name : {"mesh.obj", "mesh.ply", "mesh.off"}) {
    for (const bool binary : {true, false}) {
      SCOPED_TRACE(name);
      ASSERT_TRUE(CGAL::IO::write_polygon_soup(
          (folder / name).string(), soup.points, soup.polygons,
          CGAL::parameters::use_binary_mode(binary).stream_precision(17)));
      compare_reading(tessera::io::read_triangles(folder / name), soup);
    }
  }
}

}  // namespace
