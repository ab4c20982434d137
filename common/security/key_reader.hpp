// SPDX-License-Identifier: Apache-2.0
// Reads the keys of BPSec from a file, or from all *.key files of a folder.
// A plain function; off the data path.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/security/keys.hpp"

namespace farlink::security {

/// A file larger than that has no keys.
inline constexpr std::size_t kMostKeyFileBytes = std::size_t{1} << 20;

/// An error is a sentence. Files that others may read or change are refused, and folders that
/// others may change.
[[nodiscard]] Result<std::vector<Key>, std::string> read_keys(const std::string &path);

}  // namespace farlink::security
