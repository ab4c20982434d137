// SPDX-License-Identifier: Apache-2.0
// The node that a command means when it does not say which: the one that is set up as the guide
// says, else the only one that this user runs.
// Plain functions; one thread.
// Running nodes are found by their processes; their configurations name their control sockets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace farlink::ctl {

/// Where a node that was installed listens.
inline constexpr const char *kUsualSocket = "/run/farlink/control.sock";

/// Its control socket; or why there is none. `processes` is /proc.
[[nodiscard]] Result<std::string, std::string> local_socket(
    const std::string &usual = kUsualSocket, const std::filesystem::path &processes = "/proc");

/// The control sockets of all nodes that this user runs, each once.
[[nodiscard]] std::vector<std::string> sockets_of_own_nodes(const std::filesystem::path &processes);

/// The value of `--config` among the words of a command line; empty: there is none.
[[nodiscard]] std::string config_of(const std::vector<std::string> &words);

}  // namespace farlink::ctl
