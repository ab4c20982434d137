// SPDX-License-Identifier: Apache-2.0
// One request to a running node, through its control socket.
// Plain functions; one thread.
// Every wait has a limit; errors are texts for operators.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"

namespace farlink::ctl {

/// The socket of the node with this configuration; an error when it has none.
[[nodiscard]] Result<std::string, std::string> socket_of(const std::string &config_file);

/// The node's reply, ok or not; an error when there is none.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> ask_node(
    const std::string &socket, const nlohmann::ordered_json &request);
/// The same for a request that is written already, as one line.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> ask_node_in_text(
    const std::string &socket, std::string request);

}  // namespace farlink::ctl
