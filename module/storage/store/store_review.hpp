// SPDX-License-Identifier: Apache-2.0
// What makes a start impossible with the store that is on disk.
// Plain functions; review_store() reads the head of one file of each disk, and changes nothing.
// `--check`, also while the node runs.
#pragma once

#include <string>
#include <vector>

#include "common/base/types.hpp"
#include "common/config/node/node_config.hpp"
#include "module/storage/store/log/log_recovery.hpp"

namespace farlink::storage {

/// "disk 0: the store was written by a newer version of farlink; the node does not start"
[[nodiscard]] std::string refusal_of(const std::string &disk, StoreError error);

/// Such a line for each disk with the files of another node or of a newer version.
[[nodiscard]] std::vector<std::string> review_store(const config::StorageConfig &config,
                                                    NodeNumber node);

}  // namespace farlink::storage
