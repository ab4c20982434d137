// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/state_client.hpp"

#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/shared/control/control_client.hpp"

namespace farlink::ctl {

std::string path_with(std::string path, const Query &query) {
    char separator = '?';
    for (const auto &[key, value] : query) {
        if (value.empty()) continue;
        path += std::exchange(separator, '&') + (key + ('=' + value));
    }
    return path;
}

Result<nlohmann::ordered_json, std::string> StateClient::show(const std::string &path) const {
    auto reply = ask_node(socket_, {{"command", "show"}, {"path", path}});
    if (reply && reply->at("ok") != true) return fail(text(*reply, "error"));
    return reply;
}

}  // namespace farlink::ctl
