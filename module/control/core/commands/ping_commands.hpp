// SPDX-License-Identifier: Apache-2.0
// `ping`: an echo request from this node to an endpoint, and its round-trip time.
// Owned by Commands; the control agent's thread only.
// Ingress sends the request and matches the echo; the deadlines are kept here.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"
#include "common/ping/outstanding.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/pending_requests.hpp"

namespace farlink::control {

/// A request that was read and checked.
struct PingOrder {
    std::string destination;  ///< an endpoint
    std::uint32_t payload_bytes = 64;
    Duration timeout = seconds(5);
    std::uint8_t version = 7;
};
/// The keys are those of docs/formats/control.md; an error is a reply. A node number alone means
/// the echo service of the node: that of `config` at this node, 2047 elsewhere.
[[nodiscard]] Result<PingOrder, nlohmann::ordered_json> read_ping(
    const nlohmann::ordered_json &request, const config::NodeConfig &config);

class PingCommands {
public:
    using Json = nlohmann::ordered_json;

    /// Pings that await their echo at a time.
    static constexpr std::size_t kMost = 32;

    /// All are borrowed.
    PingCommands(const config::NodeConfig &config, PendingRequests &requests)
        : config_(config), requests_(requests) {}

    void ping(const Json &request, const Answer &answer, const WallClock &now);
    void handle(const bus::PingReply &reply);
    /// The first ingress matches the echoes; without it none is recognised.
    void handle_lost(bus::AgentId module);

    [[nodiscard]] TimePoint next_timeout() const { return pending_.next_timeout(); }
    void handle_timeout(TimePoint now);

private:
    struct Pending {
        PingOrder order;
        Answer answer;
    };
    void fail(std::uint64_t id, const std::string &why);

    const config::NodeConfig &config_;
    PendingRequests &requests_;
    ping::Outstanding<Pending> pending_;  ///< by request id
};

}  // namespace farlink::control
