// SPDX-License-Identifier: Apache-2.0
// The user and the groups at the other end of a Unix socket, and the numbers of named ones.
// Plain functions.
// The applications agent's thread.
#pragma once

#include <optional>
#include <string>

#include "common/config/node/node_config.hpp"
#include "module/applications/core/access/access_table.hpp"

namespace farlink::applications {

/// Empty when the kernel does not state it.
[[nodiscard]] std::optional<Identity> peer_of(int socket);

/// A name, or a number.
[[nodiscard]] std::optional<std::uint32_t> user_number(const std::string &name);
[[nodiscard]] std::optional<std::uint32_t> group_number(const std::string &name);

/// The error of `socketGroup`, if the socket is to have a group that does not exist, or that this
/// process may not give to it.
[[nodiscard]] std::string wrong_socket_group(const config::ApplicationsConfig &config);

/// The users and groups that the configuration names, and those of this process.
[[nodiscard]] ResolvedNames resolve_names(const config::ApplicationsConfig &config);

}  // namespace farlink::applications
