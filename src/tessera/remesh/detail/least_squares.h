// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/exec/kernel.h"

namespace tessera::remesh::detail {

/// The numbers that fit best to weighted equations, by the normal equations: for unknowns that are
/// scaled so that all matter alike.
template <int unknowns>
class LeastSquares {
 public:
  TESSERA_KERNEL void add(const double (&row)[unknowns], double value, double weight) {
    for (int i = 0; i < unknowns; ++i) {
      for (int j = i; j < unknowns; ++j) m_[i][j] += weight * row[i] * row[j];
      m_[i][unknowns] += weight * row[i] * value;
    }
  }
  /// False if the equations do not tell all unknowns apart. Overwrites the equations.
  TESSERA_KERNEL bool solve(double (&solution)[unknowns]) {
    constexpr double least_part = 1e-3;  // of an unknown's equations that others do not explain
    double whole[unknowns];
    for (int k = 0; k < unknowns; ++k) whole[k] = m_[k][k];
    for (int k = 0; k < unknowns; ++k) {
      if (!(m_[k][k] > least_part * whole[k])) return false;
      for (int i = k + 1; i < unknowns; ++i) {
        const double part = m_[k][i] / m_[k][k];
        for (int j = i; j <= unknowns; ++j) m_[i][j] -= part * m_[k][j];
      }
    }
    for (int i = unknowns - 1; i >= 0; --i) {
      double rest = m_[i][unknowns];
      for (int j = i + 1; j < unknowns; ++j) rest -= m_[i][j] * solution[j];
      solution[i] = rest / m_[i][i];
    }
    return true;
  }

 private:
  double m_[unknowns][unknowns + 1] = {};  ///< the upper triangle, and the right-hand side
};

}  // namespace tessera::remesh::detail
