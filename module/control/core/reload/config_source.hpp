// SPDX-License-Identifier: Apache-2.0
// The configuration file as a reload uses it: its text, and access to it and to the files that it
// names.
// Made by the program, owned by the control agent. The functions run beside the loop.
// Without a path there is no file, and no reload.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::control {

struct ConfigSource {
    std::string path;  ///< absolute
    std::string text;  ///< as read at the start
    /// The text of the file, which did not change while it was read.
    std::function<Result<std::string, config::ConfigError>()> read;
    /// Replaces the file and keeps the old one as FILE.bak; the error, or nothing.
    std::function<std::string(const std::string &text)> write;
    /// Tells one content of a file from another; 0: it cannot be read.
    std::function<std::uint64_t(const std::string &file)> digest;
    /// The checks of files and folders at the start, a line for each error.
    std::function<std::vector<std::string>(const config::NodeConfig &)> check_files;
    /// The checks of convergence layers, those of certificates among them.
    std::function<std::optional<std::string>(const config::InductConfig &)> check_induct;
    std::function<std::optional<std::string>(const config::OutductConfig &)> check_outduct;
};

}  // namespace farlink::control
