// SPDX-License-Identifier: Apache-2.0
// One question to a running node, through its control socket.
// A plain function; one thread.
// Every wait has a limit; what goes wrong is told in an operator's words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"

namespace farlink::ctl {

/// The socket of the node with this configuration; or why there is none.
[[nodiscard]] Result<std::string, std::string> socket_of(const std::string &config_file);

/// The node's reply, whatever it says; or why there is none.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> ask_node(
    const std::string &socket, const nlohmann::ordered_json &request);

}  // namespace farlink::ctl
