// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include "tessera/exec/kernel.h"

namespace tessera::remesh::detail {

/// The numbers that fit best to weighted equations, by the normal equations: for unknowns that are
/// scaled so that all matter alike.
template <int Unknowns>
class LeastSquares {
 public:
  TESSERA_KERNEL void add(const double (&row)[Unknowns], double value, double weight) {
    for (int i = 0; i < Unknowns; ++i) {
      for (int j = i; j < Unknowns; ++j) m_[i][j] += weight * row[i] * row[j];
      m_[i][Unknowns] += weight * row[i] * value;
    }
  }
  /// False if the equations do not tell all unknowns apart. Overwrites the equations.
  TESSERA_KERNEL bool solve(double (&solution)[Unknowns]) {
    constexpr double least_part = 1e-3;  // of an unknown's equations that others do not explain
    double whole[Unknowns];
    for (int k = 0; k < Unknowns; ++k) whole[k] = m_[k][k];
    for (int k = 0; k < Unknowns; ++k) {
      if (!(m_[k][k] > least_part * whole[k])) return false;
      for (int i = k + 1; i < Unknowns; ++i) {
        const double part = m_[k][i] / m_[k][k];
        for (int j = i; j <= Unknowns; ++j) m_[i][j] -= part * m_[k][j];
      }
    }
    for (int i = Unknowns - 1; i >= 0; --i) {
      double rest = m_[i][Unknowns];
      for (int j = i + 1; j < Unknowns; ++j) rest -= m_[i][j] * solution[j];
      solution[i] = rest / m_[i][i];
    }
    return true;
  }

 private:
  double m_[Unknowns][Unknowns + 1] = {};  ///< the upper triangle, and the right-hand side
};

}  // namespace tessera::remesh::detail
