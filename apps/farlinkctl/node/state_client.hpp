// SPDX-License-Identifier: Apache-2.0
// Requests paths of the HTTP API from a running node through its control socket.
// Owned by one command; one thread.
// A refusal and a missing reply are both errors in words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "common/base/result.hpp"

namespace farlink::ctl {

/// A path of the HTTP API with a query of those keys that have a value.
using Query = std::vector<std::pair<const char *, std::string>>;
[[nodiscard]] std::string path_with(std::string path, const Query &query);

class StateClient {
public:
    explicit StateClient(std::string socket) : socket_(std::move(socket)) {}

    /// The reply to `show` when it is ok.
    [[nodiscard]] Result<nlohmann::ordered_json, std::string> show(const std::string &path) const;

private:
    std::string socket_;
};

}  // namespace farlink::ctl
