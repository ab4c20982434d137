// SPDX-License-Identifier: Apache-2.0
// Paths of Unix sockets that a program listens at.
// Plain functions without state.
// Any thread.
#pragma once

#include <string>

namespace farlink {

/// The folder in which a socket of this path is made.
[[nodiscard]] std::string socket_folder(const std::string &path);
/// Why there can be no Unix socket at this path, whatever its folder; empty: there can.
[[nodiscard]] std::string wrong_socket_name(const std::string &path);
/// The same, also for its folder: it exists and can be written.
[[nodiscard]] std::string wrong_socket_path(const std::string &path);
/// The same; and it removes a socket without a listener, which a killed program has left.
[[nodiscard]] std::string make_room_for_socket(const std::string &path);

}  // namespace farlink
