// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/core/attribute.h"

#include <algorithm>

#include "tessera/core/parallel.h"

namespace tessera {

const Attribute* find(const Attributes& attributes, std::string_view name) {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

Attribute gather(const Attribute& attribute, const Array<std::uint32_t>& source) {
  const auto components = static_cast<std::size_t>(attribute.components);
  auto take = [&]<class T>(const Array<T>& from) -> AttributeValues {
    Array<T> to(source.size() * components);
    parallel_for_ranges(source.size(), 4096, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        std::copy_n(from.data() + source[i] * components, components, to.data() + i * components);
    });
    return to;
  };
  return {attribute.name, attribute.components, std::visit(take, attribute.values)};
}

Attributes gather(const Attributes& attributes, const Array<std::uint32_t>& source) {
  Attributes gathered;
  gathered.reserve(attributes.size());
  for (const Attribute& attribute : attributes) gathered.push_back(gather(attribute, source));
  return gathered;
}

}  // namespace tessera
