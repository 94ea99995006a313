// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/lattice_graph.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tessera/core/detail/check.h"
#include "tessera/core/find_first.h"

namespace tessera {

std::optional<std::string> LatticeGraph::validate() const {
  if (auto wrong = detail::check_positions(nodes, "node")) return wrong;
  if (struts.size() > max_struts)
    return fmt::format("{} struts are more than the {} that one graph can hold", struts.size(),
                       max_struts);
  if (radii.size() != struts.size())
    return fmt::format("{} pairs of radii for {} struts", radii.size(), struts.size());
  const std::size_t bad_strut = find_first(struts.size(), [&](std::size_t s) {
    return std::max(struts[s][0], struts[s][1]) >= nodes.size();
  });
  if (bad_strut < struts.size())
    return fmt::format("strut {} refers to node {}, but there are only {}", bad_strut,
                       std::max(struts[bad_strut][0], struts[bad_strut][1]), nodes.size());
  const auto is_radius = [](float r) { return std::isfinite(r) && r >= 0; };
  const std::size_t bad_radius = find_first(radii.size(), [&](std::size_t s) {
    return !is_radius(radii[s][0]) || !is_radius(radii[s][1]);
  });
  if (bad_radius < radii.size())
    return fmt::format("strut {} has the radii {} and {}, which must be finite and not negative",
                       bad_radius, radii[bad_radius][0], radii[bad_radius][1]);
  return std::nullopt;
}

}  // namespace tessera
