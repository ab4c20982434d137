// SPDX-License-Identifier: Apache-2.0
// Whether the disks are as large as the store may become, and how much room they have.
// Free functions; they ask the file systems.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"

namespace farlink::storage {

/// A line for each file system that has less room than the store and its reserve may take on it,
/// the store's own files counted as room.
[[nodiscard]] std::vector<std::string> review_room(const config::StorageConfig &config,
                                                   std::uint64_t reserve_bytes);

/// Octets that the files in a folder take on its file system.
[[nodiscard]] std::uint64_t used_bytes_at(const std::string &folder);

/// Octets that the file system of a folder has for this program; 0 when that is not known.
[[nodiscard]] std::uint64_t free_bytes_at(const std::string &folder);

/// Whether a file of so many octets has room in a folder, also by disk quotas and by the limit of
/// file sizes. It makes one for a moment.
[[nodiscard]] bool has_room_for(const std::string &folder, std::uint64_t bytes);

}  // namespace farlink::storage
