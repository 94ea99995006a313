// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT
#pragma once

// g++ defines a macro, clang has a feature.
#ifdef __has_feature
#define TESSERA_HAS_FEATURE(name) __has_feature(name)
#else
#define TESSERA_HAS_FEATURE(name) 0
#endif

/// Whether a sanitizer looks for what it looks for, many times more slowly: fewer of the same will
/// do.
inline constexpr bool is_sanitized =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    TESSERA_HAS_FEATURE(address_sanitizer) || TESSERA_HAS_FEATURE(thread_sanitizer)
    true;
#else
    false;
#endif
#undef TESSERA_HAS_FEATURE
