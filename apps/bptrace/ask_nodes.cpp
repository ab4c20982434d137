// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/ask_nodes.hpp"

#include <cstdio>
#include <iostream>
#include <utility>

#include "apps/bptrace/ask/question.hpp"
#include "apps/farlinkctl/bundle/bundle_print.hpp"
#include "apps/farlinkctl/shared/figures.hpp"
#include "apps/shared/control/control_client.hpp"
#include "apps/shared/options/complain.hpp"
#include "common/base/seconds.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::bptrace {
namespace {

using Json = nlohmann::ordered_json;

NodeAnswer answer_of(std::string node, Result<Json, std::string> reply) {
    if (!reply) return {std::move(node), {}, reply.error()};
    if (!reply->value("ok", true))
        return {std::move(node),
                {},
                reply->value("error", std::string("the node refused the request"))};
    reply->erase("ok");
    return {std::move(node), std::move(*reply), {}};
}

/// None: there is no local node, and others are asked.
std::optional<NodeAnswer> ask_local(const Arguments &arguments) {
    const auto socket = ctl::socket_of(arguments.control);
    const bool is_chosen = !arguments.control.socket.empty() || !arguments.control.config.empty();
    if (!socket && !is_chosen && !arguments.ask.empty()) return std::nullopt;
    if (!socket) return NodeAnswer{"this machine", {}, socket.error()};
    const Json request{
        {"command", "bundle find"}, {"id", arguments.what}, {"limit", arguments.limit}};
    return answer_of(*socket, ctl::ask_node(*socket, request));
}

void print_answer(const NodeAnswer &answer) {
    std::printf("%s\n", ctl::printable(answer.node).c_str());
    if (answer.error.empty())
        ctl::print_found(answer.reply);
    else
        std::printf("no reply: %s\n", ctl::printable(answer.error).c_str());
    std::puts("");
}

}  // namespace

int ask_nodes(const Arguments &arguments) {
    const auto nodes = asked_nodes(arguments);
    if (!nodes) return complain(nodes.error(), kExitUsage);
    std::vector<NodeAnswer> answers;
    if (auto local = ask_local(arguments)) answers.push_back(std::move(*local));
    const std::string target = "/api/v1/bundles?id=" + config::percent_encoded(arguments.what) +
                               "&limit=" + std::to_string(arguments.limit);
    const Duration limit = from_seconds(arguments.timeout_s);
    for (const AskedNode &node : *nodes)
        answers.push_back(answer_of(node.url, get_json(node.server, node.token, target, limit)));
    const std::string fate = fate_of(answers);
    if (arguments.json) {
        std::puts(answers_json(arguments.what, answers)
                      .dump(-1, ' ', false, Json::error_handler_t::replace)
                      .c_str());
    } else {
        for (const NodeAnswer &answer : answers) print_answer(answer);
        std::printf("%s: %s\n", ctl::printable(arguments.what).c_str(), fate.c_str());
    }
    return fate == "delivered" ? kExitDelivered : kExitNotDelivered;
}

}  // namespace farlink::bptrace
