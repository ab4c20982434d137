// SPDX-License-Identifier: Apache-2.0
// The applications socket of the local node, where none is given: that of the environment, the
// usual one, otherwise that of the only node that this user runs.
// Plain functions; one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "common/base/result.hpp"

namespace farlink::messages {

/// That of an installed node, as the guide names it.
inline constexpr const char *kUsualSocket = "/run/farlink/applications.sock";

/// Where nodes are looked for.
struct Places {
    std::string environment{};  ///< the value of FARLINK_APPLICATIONS
    std::string usual = kUsualSocket;
    std::filesystem::path processes = "/proc";
};

/// The places of this process.
[[nodiscard]] Places places();

/// Why no application can connect.
struct NoNode {
    std::string why{};   ///< for people
    bool later = false;  ///< a node that starts may change that
};

/// The address to connect to: `given` if it is not empty. `note` gets what the user must know about
/// the choice.
[[nodiscard]] Result<std::string, NoNode> node_socket(const std::string &given, const Places &where,
                                                      std::string *note = nullptr);

/// Connects and closes; the address again. A TCP address is waited for as long as `limit`.
[[nodiscard]] Result<std::string, NoNode> try_socket(const std::string &address,
                                                     std::chrono::milliseconds limit);

}  // namespace farlink::messages
