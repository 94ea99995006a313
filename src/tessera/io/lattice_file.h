// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
// Lattices of any size in a binary file of blocks (.tlat), described in docs/lattice-file.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "tessera/core/lattice_block.h"

namespace tessera::io {

/// Whether a file name ends as those of such files do.
bool is_lattice_file(const std::filesystem::path& path);

/// Writes blocks as they come. The file appears under its name when it is complete.
class LatticeFileWriter {
 public:
  /// Throws InputError where no file can be put there.
  explicit LatticeFileWriter(const std::filesystem::path& path);
  ~LatticeFileWriter();
  LatticeFileWriter(const LatticeFileWriter&) = delete;
  LatticeFileWriter& operator=(const LatticeFileWriter&) = delete;

  /// Throws OutputError if the disk is full, InputError if the block is not valid or its arcs are
  /// not as many as they should be.
  void append(const LatticeBlock& block);

  /// Gives the file its name; returns its size.
  std::uint64_t finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Such a file, mapped into memory: blocks are read when they are asked for.
class LatticeFile final : public LatticeSource {
 public:
  /// Throws InputError naming the file and what is wrong with it. Blocks are checked by block(),
  /// which throws InputError too.
  explicit LatticeFile(const std::filesystem::path& path);
  /// Of bytes that outlive it.
  LatticeFile(std::span<const char> bytes, const std::string& name);
  ~LatticeFile() override;

  std::uint64_t blocks() const override;
  std::uint64_t struts() const override;
  std::uint64_t largest_block() const override;
  LatticeBlock block(std::uint64_t number) const override;

  std::uint64_t bytes() const;
  /// Do the blocks have their arcs?
  bool has_arcs() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::io
