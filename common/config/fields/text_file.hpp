// SPDX-License-Identifier: Apache-2.0
// Reads a whole configuration file, or says in an operator's words why it cannot be read.
// A plain function at start-up, any thread.
// Bounded: something that is not a configuration must not fill the memory.
#pragma once

#include <cstddef>
#include <string>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::config {

/// A contact plan of 400,000 contacts.
inline constexpr std::size_t kLargestFileBytes = 64 * 1024 * 1024;

/// A byte order mark of UTF-8 at the beginning is left out (RFC 8259 section 8.1 allows it); UTF-16
/// is refused by its own.
[[nodiscard]] Result<std::string, ConfigError> read_text_file(const std::string &path);

}  // namespace farlink::config
