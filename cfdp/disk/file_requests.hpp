// SPDX-License-Identifier: Apache-2.0
// Filestore requests and listings of remote entities, each in its folder beneath the root.
// Plain functions over folders that are borrowed; the daemon's thread.
// Names are resolved by openat2() beneath the root. No folder is made on the way, no symbolic link
// followed, and a file is replaced by a whole one only.
#pragma once

#include <string>

#include "cfdp/core/pdu/options.hpp"
#include "cfdp/core/transaction/filestore.hpp"
#include "cfdp/disk/entity_state.hpp"
#include "common/files/target_folder.hpp"

namespace farlink::cfdp {

/// Longer listings are not made.
inline constexpr std::size_t kLongestListing = 16UL * 1024 * 1024;

/// `folder`: of the entity, beneath the root.
[[nodiscard]] FilestoreResult run_file_request(const files::TargetFolder &root,
                                               const EntityState &state, const std::string &folder,
                                               const FilestoreRequest &request);

/// A line for each entry: "file", "folder" or "other", octets, seconds since 1970, name. Octets of
/// names that a terminal may act on are escaped. `name`: beneath the folder; "." is the folder
/// itself.
[[nodiscard]] Result<std::string, FileFault> list_folder(const files::TargetFolder &root,
                                                         const std::string &folder,
                                                         const std::string &name);

}  // namespace farlink::cfdp
