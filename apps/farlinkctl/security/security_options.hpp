// SPDX-License-Identifier: Apache-2.0
// The command line of `farlinkctl security`.
// Filled by read_options().
// A value.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace farlink::ctl {

enum class SecurityVerb : std::uint8_t {
    kNone,  ///< none of these was given
    kKeysMake,
    kKeysList,
    kKeysRetire,
    kExplain,
};

struct SecurityOptions {
    SecurityVerb verb = SecurityVerb::kNone;
    std::string file;  ///< `keys`: of the keys
    std::string id;
    std::string algorithm = "hmac-sha256";
    std::string use;            ///< empty: all
    std::optional<int> days{};  ///< `keys make`: validity; `keys retire`: until it ends
    std::string config;         ///< `explain`
    std::string source;
    std::string destination;
    std::optional<std::uint32_t> link{};
    std::string direction;  ///< empty: both
};

/// Adds the commands to `app`.
void add_security_commands(CLI::App &app, SecurityOptions &options);

}  // namespace farlink::ctl
