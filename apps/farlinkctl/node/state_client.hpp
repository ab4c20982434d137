// SPDX-License-Identifier: Apache-2.0
// Asks a running node for paths of the HTTP API through its control socket.
// Owned by one command; one thread.
// A refusal of the node is told like a node that does not answer: in words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/base/result.hpp"

namespace farlink::ctl {

class StateClient {
public:
    explicit StateClient(std::string socket) : socket_(std::move(socket)) {}

    /// The reply to `show`, which is ok.
    [[nodiscard]] Result<nlohmann::ordered_json, std::string> show(const std::string &path) const;

private:
    std::string socket_;
};

}  // namespace farlink::ctl
