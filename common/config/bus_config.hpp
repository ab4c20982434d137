// SPDX-License-Identifier: Apache-2.0
// Where the modules of a node find each other when they run in several processes.
// Part of NodeConfig; values.
// Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::config {

/// The modules, in the order of bus::AgentId.
inline constexpr std::array<std::string_view, 7> kModuleNames{
    "ingress", "egress", "storage", "scheduler", "router", "telemetry", "supervisor"};

inline constexpr std::string_view kInproc = "inproc";

/// `bus`
struct BusConfig {
    /// By module, in the order of kModuleNames: `inproc`, `ipc:///path` or `tcp://address:port`.
    std::array<std::string, kModuleNames.size()> addresses{"inproc", "inproc", "inproc", "inproc",
                                                           "inproc", "inproc", "inproc"};
    std::string public_key;       ///< `publicKey`: of all processes of the node
    std::string secret_key_file;  ///< `secretKeyFile`

    friend bool operator==(const BusConfig &, const BusConfig &) = default;
};

/// A key at the top of the file and a hash of what it says; `bus` as others must have it.
struct ConfigPart {
    std::string key;
    std::uint64_t hash = 0;
    friend bool operator==(const ConfigPart &, const ConfigPart &) = default;
};

}  // namespace farlink::config
