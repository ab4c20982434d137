// SPDX-License-Identifier: Apache-2.0
// Reads a whole configuration file, or returns the error for the operator.
// A plain function at start-up, any thread.
// The size is limited.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::config {

/// The size of a contact plan of 400,000 contacts.
inline constexpr std::size_t kLargestFileBytes = 64 * 1024 * 1024;

/// A byte order mark of UTF-8 at the beginning is skipped (RFC 8259 section 8.1 allows it); that of
/// UTF-16 is an error.
[[nodiscard]] Result<std::string, ConfigError> read_text_file(const std::string &path);

}  // namespace farlink::config
