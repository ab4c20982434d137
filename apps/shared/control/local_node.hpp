// SPDX-License-Identifier: Apache-2.0
// The node of a command without --config and --socket: the installed node if it answers, otherwise
// the only node that this user runs.
// Plain functions; one thread.
// Running nodes are found by their processes; their configurations name their control sockets.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace farlink::ctl {

/// The control socket of an installed node.
inline constexpr const char *kUsualSocket = "/run/farlink/control.sock";

/// A socket, and what the operator must know about the choice.
struct LocalChoice {
    std::string socket;
    std::string note{};  ///< which node it is; empty when there is only one
};
/// The usual socket if a node answers there, otherwise the only one of `own`, those of the nodes of
/// this user. If `own` is empty, the usual socket if it exists: its error is that of the command.
/// Nothing when there is no socket, or `own` has several. `option` selects a node: "--socket".
[[nodiscard]] std::optional<LocalChoice> choose_socket(const std::string &usual,
                                                       std::vector<std::string> own,
                                                       const std::string &option);

/// One line of text for each socket, such as "\n  --socket /run/x.sock"; from the 17th on, only
/// their number.
[[nodiscard]] std::string choices_text(const std::vector<std::string> &sockets,
                                       const std::string &option);

/// The choice among control sockets; an error when there is no node or several. `processes` is
/// /proc.
[[nodiscard]] Result<LocalChoice, std::string> local_socket(
    const std::string &usual = kUsualSocket, const std::filesystem::path &processes = "/proc");
/// The socket of local_socket(); its note goes to standard error.
[[nodiscard]] Result<std::string, std::string> noted_local_socket();

/// The socket that a configuration names, or why it names none.
using SocketOf = std::function<Result<std::string, std::string>(const std::string &config_file)>;

/// The sockets of all nodes that this user runs, each once; those for control.
[[nodiscard]] std::vector<std::string> sockets_of_own_nodes(const std::filesystem::path &processes);
/// Those that `socket_in` finds in their configurations.
[[nodiscard]] std::vector<std::string> sockets_of_own_nodes(const std::filesystem::path &processes,
                                                            const SocketOf &socket_in);

/// The value of `--config` among the words of a command line; empty when it is absent.
[[nodiscard]] std::string config_of(const std::vector<std::string> &words);

}  // namespace farlink::ctl
