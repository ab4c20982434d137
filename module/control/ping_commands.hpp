// SPDX-License-Identifier: Apache-2.0
// `ping`: an echo request from this node to an endpoint, and how long its answer takes.
// Owned by Commands; the supervisor's thread only.
// Ingress sends the request and knows its answer; here is who waits for it, and for how long.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/clock.hpp"
#include "module/control/pending_requests.hpp"

namespace farlink::app {

/// What is asked, read and checked.
struct PingOrder {
    std::string destination;  ///< an endpoint
    std::uint32_t payload_bytes = 64;
    Duration timeout = seconds(5);
    std::uint8_t version = 7;
};
/// The keys are those of docs/formats/control.md; an error is a reply. A node alone means its echo
/// service: that of `config` at this node, 2047 elsewhere.
[[nodiscard]] Result<PingOrder, nlohmann::ordered_json> read_ping(
    const nlohmann::ordered_json &request, const config::NodeConfig &config);

class PingCommands {
public:
    using Json = nlohmann::ordered_json;
    using Answer = std::function<void(const Json &)>;

    /// That wait for an answer at a time.
    static constexpr std::size_t kMost = 32;

    /// All are borrowed.
    PingCommands(boost::asio::io_context &io, const config::NodeConfig &config,
                 PendingRequests &requests)
        : io_(io), config_(config), requests_(requests), last_id_(unix_nanoseconds()) {}

    void ping(const Json &request, const Answer &answer);
    void handle(const bus::PingReply &reply);
    /// Nobody knows the answers any more when it was the first ingress.
    void handle_lost(bus::AgentId module);

private:
    struct Waiting {
        PingOrder order;
        Answer answer;
        boost::asio::steady_timer timer;
    };
    void give_up(std::uint64_t id, const std::string &why);

    boost::asio::io_context &io_;
    const config::NodeConfig &config_;
    PendingRequests &requests_;
    std::uint64_t last_id_;  ///< no answer of an earlier run has one above its first
    std::map<std::uint64_t, Waiting> waiting_;
};

}  // namespace farlink::app
