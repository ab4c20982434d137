// SPDX-License-Identifier: Apache-2.0
// What bundles in memory take on disk when the node stops and stores them.
// Constants; any thread.
// Ingress limits its memory and storage reserves room by the same rule: the record of a bundle and
// its place in the index take at most kDiskPerMemory * (its octets + kMemoryPerBundle).
#pragma once

#include <cstdint>

namespace farlink {

/// Octets of disk that are reserved for each octet of memory. A record has the endpoint ids of its
/// bundle a second time.
inline constexpr std::uint64_t kDiskPerMemory = 2;
/// A bundle counts so many octets beside its own: half of what a record and the index have beside
/// bundle and endpoint ids.
inline constexpr std::uint64_t kMemoryPerBundle = 80;

}  // namespace farlink
