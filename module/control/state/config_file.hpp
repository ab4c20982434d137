// SPDX-License-Identifier: Apache-2.0
// The configuration file on disk: read as a whole while it stays the same, and replaced so that a
// power cut leaves the old one or the new one.
// Plain functions; one thread a file.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"
#include "module/control/core/reload/config_source.hpp"

namespace farlink::control {

/// Reads the text; again, for a bounded number of times, when the file changes meanwhile.
[[nodiscard]] Result<std::string, config::ConfigError> read_steadily(const std::string &path);

/// Replaces the file, whose owner and mode stay; the old one becomes FILE.bak. The error, or an
/// empty text: then both are on disk.
[[nodiscard]] std::string replace_config(const std::string &path, const std::string &text);

/// Of the content of a file; 0: it cannot be read.
[[nodiscard]] std::uint64_t digest_of_file(const std::string &path);

/// The functions of a ConfigSource for this file, without its checks.
[[nodiscard]] ConfigSource source_of(const std::string &path, std::string text);

}  // namespace farlink::control
