// SPDX-License-Identifier: Apache-2.0
// Sizes as the field tables spell them.
// Constants.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink::config {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;
inline constexpr std::uint64_t kGiB = 1024 * kMiB;
inline constexpr std::uint64_t kTiB = 1024 * kGiB;

}  // namespace farlink::config
