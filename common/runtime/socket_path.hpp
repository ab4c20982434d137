// SPDX-License-Identifier: Apache-2.0
// Paths of Unix sockets that a program listens at.
// Plain functions without state.
// Any thread.
#pragma once

#include <string>

namespace farlink {

/// Why there can be no Unix socket at this path; empty: there can.
[[nodiscard]] std::string wrong_socket_path(const std::string &path);
/// The same; and it removes a socket without a listener, which a killed program has left.
[[nodiscard]] std::string make_room_for_socket(const std::string &path);

}  // namespace farlink
