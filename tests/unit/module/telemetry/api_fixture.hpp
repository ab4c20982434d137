// SPDX-License-Identifier: Apache-2.0
// A node's view and API without sockets, for tests.
// Owned by one test; one thread.
// Its time stands still unless a test moves it.
#pragma once

#include "common/config/node/load_node_config.hpp"
#include "module/telemetry/api/api.hpp"

namespace farlink::telemetry {

inline constexpr const char *kApiNode = R"({
    "myNodeId": 10,
    "inductsConfig": [{"url": "stcp://127.0.0.1:4556"}],
    "outductsConfig": [{"url": "tcpclv4://10.0.0.2:4556", "nextHopNodeId": 20}],
    "api": {"listen": "127.0.0.1:0", "tokensFile": "secret-place"}})";

struct ApiFixture {
    config::NodeConfig config = config::parse_node_config(kApiNode).value();
    TelemetryCore core;
    NodeView view{config, "1.2.3", core, TimePoint{seconds(100)}};
    Api api{view, config.shown};
    Moment moment{TimePoint{seconds(112)}, 800'000'000'000};

    /// As the agent does it: the view first.
    template <class Message>
    void publish(Message message) {
        (void)view.handle(bus::Message(message), moment);
        if constexpr (requires { core.handle(std::move(message)); })
            core.handle(std::move(message));
    }
    Outcome ask(const std::string &method, const std::string &target, Role role = Role::kOperate,
                const std::string &body = {}) {
        Call call;
        call.method = method;
        call.target = target;
        call.role = role;
        call.body = body;
        call.content_type = body.empty() ? "" : "application/json; charset=utf-8";
        return api.handle(call, moment);
    }
    Answer answer(const std::string &method, const std::string &target, Role role = Role::kOperate,
                  const std::string &body = {}) {
        const Outcome outcome = ask(method, target, role, body);
        const auto *answer = std::get_if<Answer>(&outcome);
        return answer == nullptr ? Answer{0, {}, {}} : *answer;
    }
};

}  // namespace farlink::telemetry
