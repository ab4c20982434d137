// SPDX-License-Identifier: Apache-2.0
// The addresses of the modules of a node in several processes.
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
inline constexpr std::array<std::string_view, 14> kModuleNames{
    "ingress",  "egress",  "storage",  "scheduler", "router",   "telemetry", "supervisor",
    "ingress2", "egress2", "ingress3", "egress3",   "ingress4", "egress4",   "applications"};

inline constexpr std::string_view kInproc = "inproc";

/// `bus`
struct BusConfig {
    /// By module, in the order of kModuleNames: `inproc`, `ipc:///path` or `tcp://address:port`.
    std::array<std::string, kModuleNames.size()> addresses = all_inproc();
    std::string public_key;       ///< `publicKey`: of all processes of the node
    std::string secret_key_file;  ///< `secretKeyFile`

    friend bool operator==(const BusConfig &, const BusConfig &) = default;

private:
    [[nodiscard]] static std::array<std::string, kModuleNames.size()> all_inproc() {
        std::array<std::string, kModuleNames.size()> everywhere;
        everywhere.fill(std::string(kInproc));
        return everywhere;
    }
};

/// A top-level key and a hash of its value; `bus` without the key file.
struct ConfigPart {
    std::string key;
    std::uint64_t hash = 0;
    friend bool operator==(const ConfigPart &, const ConfigPart &) = default;
};

}  // namespace farlink::config
