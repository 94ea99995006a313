// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

/// Base of what Tessera throws when data, a device or the disk is at fault, or on cancelling;
/// what() is one readable sentence. A mistake of the calling program, such as views of different
/// sizes, is a std::invalid_argument instead.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The data given is at fault: a file that cannot be read or makes no sense, a request that the
/// data cannot meet. Names the file, line, offset or element.
class InputError : public Error {
 public:
  using Error::Error;
};

/// The device is at fault: no such GPU, out of memory, a failed CUDA call.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The result could not be stored: disk full, no permission.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// The progress callback asked to stop. The call that throws it has changed nothing.
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

}  // namespace tessera
