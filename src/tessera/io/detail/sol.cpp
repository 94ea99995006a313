// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#include "tessera/io/detail/sol.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "tessera/core/arena.h"
#include "tessera/core/error.h"
#include "tessera/io/detail/mapped_file.h"
#include "tessera/io/detail/medit_text.h"
#include "tessera/io/detail/table.h"
#include "tessera/io/detail/text_writer.h"

namespace tessera::io::detail {
namespace {

constexpr std::string_view keyword = "SolAtVertices";

/// The types of a file's fields are numbered 1, 2, 3.
int components_of_type(std::uint64_t type, int dimension) {
  switch (type) {
    case 1:
      return 1;
    case 2:
      return dimension;
    case 3:
      return dimension * (dimension + 1) / 2;
    default:
      return 0;
  }
}

/// In three dimensions; 0 where no type has that many components.
int type_of_components(int components) {
  for (int type = 1; type <= 3; ++type)
    if (components_of_type(static_cast<std::uint64_t>(type), 3) == components) return type;
  return 0;
}

std::filesystem::path sol_path(std::filesystem::path mesh) {
  return mesh.replace_extension(".sol");
}

std::vector<int> read_types(const Source& source, Scanner row, int dimension) {
  const char* where = row.position;
  std::uint64_t fields = 0;
  if (!row.read_whole(fields)) source.fail_at_line(where, "expected the number of fields");
  std::vector<int> components;
  for (std::uint64_t i = 0; i < fields; ++i) {
    std::uint64_t type = 0;
    if (!row.read_whole(type) || components_of_type(type, dimension) == 0)
      source.fail_at_line(where, fmt::format("field {} of {} needs a type: 1 (scalar), 2 (vector) "
                                             "or 3 (symmetric tensor)",
                                             i + 1, fields));
    components.push_back(components_of_type(type, dimension));
  }
  if (!at_row_end(row)) source.fail_at_line(where, "more types than fields");
  return components;
}

}  // namespace

Attributes read_sol(const Source& source, std::size_t vertices) {
  LineTable table(source);
  const MeditText text = find_sections(source, table, {keyword}, 1);
  const MeditSection* section = text.find(source, keyword);
  if (section == nullptr) source.fail(fmt::format("the file has no {}", keyword));
  if (section->count != vertices)
    source.fail_at_line(section->where,
                        fmt::format("{} vertices have values, but the mesh has {} vertices",
                                    section->count, vertices));
  const std::vector<int> components =
      read_types(source, table.row(section->first_row), text.dimension);
  // Checked before memory is taken: the rows are there, but their numbers may not be.
  const int numbers = std::accumulate(components.begin(), components.end(), 0);
  if (vertices * static_cast<std::size_t>(numbers) * 2 > source.bytes.size())
    source.fail("the file is too short for its fields");
  Attributes attributes;
  std::vector<double*> outputs;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const auto size = vertices * static_cast<std::size_t>(components[i]);
    attributes.push_back({components.size() == 1 ? "sol" : fmt::format("sol_{}", i), components[i],
                          Array<double>(size)});
    outputs.push_back(std::get<Array<double>>(attributes.back().values).data());
  }
  Progress progress(source.progress, "reading fields", vertices);
  table.for_each(section->first_row + 1, vertices, progress, [&](std::uint64_t v, Scanner& row) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto n = static_cast<std::uint64_t>(components[i]);
      for (std::uint64_t k = 0; k < n; ++k)
        if (!row.read_whole(outputs[i][v * n + k]))
          throw RowError{row.position, fmt::format("vertex {} lacks a value", v + 1)};
    }
    if (!at_row_end(row))
      throw RowError{row.position,
                     fmt::format("vertex {} has more values than the fields need", v + 1)};
  });
  return attributes;
}

bool is_field(const Attribute& attribute) {
  return attribute.name != "ref" && type_of_components(attribute.components) != 0;
}

bool has_fields(const Attributes& vertex_attributes) {
  return std::any_of(vertex_attributes.begin(), vertex_attributes.end(), is_field);
}

void write_sol(OutputFile& file, const SolFields& from) {
  std::vector<const Attribute*> fields;
  std::string names;
  for (const Attribute& attribute : from.vertex_attributes) {
    if (!is_field(attribute)) continue;
    fields.push_back(&attribute);
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", attribute.name);
  }
  from.notes.push_back(fmt::format("SOL files keep no names, here of vertex attributes {}", names));

  const std::size_t vertices = from.vertices;
  std::string header = fmt::format("MeshVersionFormatted 2\n\nDimension 3\n\n{}\n{}\n{}", keyword,
                                   vertices, fields.size());
  for (const Attribute* field : fields)
    header += fmt::format(" {}", type_of_components(field->components));
  header += "\n";
  file.append(header);
  Progress progress(from.progress, "writing fields", vertices);
  append_text(file, vertices, progress, [&](std::size_t first, std::size_t last, TextBuffer& text) {
    for (std::size_t v = first; v < last; ++v) {
      for (const Attribute* field : fields) {
        const auto n = static_cast<std::size_t>(field->components);
        std::visit(
            [&](const auto& values) {
              for (std::size_t k = v * n; k < (v + 1) * n; ++k) {
                text.put(values[k]);
                text.put(' ');
              }
            },
            field->values);
      }
      text.put('\n');
    }
  });
  file.append(std::string_view("\nEnd\n"));
}

std::uint64_t add_fields_beside(const std::filesystem::path& mesh, const ReadOptions& options,
                                std::size_t vertices, Attributes& vertex_attributes,
                                std::vector<std::string>& notes) {
  const std::filesystem::path path = sol_path(mesh);
  if (!std::filesystem::is_regular_file(path)) return 0;
  const MappedFile file(path);
  const Source source{file.bytes(), path.string(), options.progress};
  Attributes fields;
  try {
    fields = Arena(options.threads).execute([&] {
      return read_sol(source.without_byte_order_mark(), vertices);
    });
  } catch (const InputError& error) {  // the mesh is fine without
    notes.push_back(fmt::format("fields were not read: {}", error.what()));
    return 0;
  }
  for (Attribute& field : fields) vertex_attributes.push_back(std::move(field));
  return file.bytes().size();
}

std::optional<std::filesystem::path> commit_with_fields(OutputFile& mesh_file,
                                                        const std::filesystem::path& mesh_path,
                                                        const SolFields& fields,
                                                        std::uint64_t& bytes) {
  const std::filesystem::path beside = sol_path(mesh_path);
  if (!has_fields(fields.vertex_attributes)) {
    mesh_file.commit();
    if (std::filesystem::exists(beside))
      fields.notes.push_back(
          fmt::format("{} is from before and will be read with the mesh", beside.string()));
    return std::nullopt;
  }
  OutputFile file(beside);
  write_sol(file, fields);
  bytes += file.size();
  mesh_file.commit();
  file.commit();
  return beside;
}

}  // namespace tessera::io::detail
