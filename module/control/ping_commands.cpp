// SPDX-License-Identifier: Apache-2.0
#include "module/control/ping_commands.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/config_error.hpp"
#include "module/control/core/replies.hpp"

namespace farlink::app {
namespace {

using Json = PingCommands::Json;

constexpr std::uint64_t kUsualEchoService = 2047;
constexpr std::uint64_t kLeastBytes = 16;
constexpr std::uint64_t kMostBytes = 64 * 1024;
constexpr double kMostSeconds = 60;
constexpr double kNanosecondsPerMs = 1e6;
/// The request lives longer than anybody waits for it: the clocks of nodes differ.
constexpr Duration kClocksDiffer = seconds(60);

Json invalid(const std::string &error) {
    return error_reply(Refusal::kInvalid, error);
}

/// A node's number alone.
std::optional<std::uint64_t> node_of(std::string_view text) {
    if (text.starts_with("ipn:")) text.remove_prefix(4);
    std::uint64_t node = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), node);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
    return node;
}

/// The endpoint that is meant; empty: none.
std::string destination_of(const Json &request, const config::NodeConfig &config) {
    const auto found = request.find("destination");
    if (found == request.end()) return {};
    std::optional<std::uint64_t> node;
    if (found->is_number_unsigned()) node = found->get<std::uint64_t>();
    if (found->is_string()) node = node_of(found->get<std::string>());
    if (node && *node == 0) return {};
    if (node) {
        const bool here = NodeNumber{*node} == config.node;
        return bp::to_string(bp::ipn_eid(*node, here ? config.echo_service : kUsualEchoService));
    }
    const auto eid = found->is_string() ? bp::Eid::parse(found->get<std::string>()) : std::nullopt;
    if (!eid || eid->view().scheme != bp::EidScheme::kIpn) return {};
    return eid->to_string();
}

}  // namespace

Result<PingOrder, Json> read_ping(const Json &request, const config::NodeConfig &config) {
    PingOrder order;
    order.destination = destination_of(request, config);
    if (order.destination.empty())
        return fail(
            invalid("`destination`: expected an endpoint like \"ipn:20.2047\", or the "
                    "number of a node, whose echo service is meant then"));
    if (const auto size = request.find("sizeBytes"); size != request.end()) {
        if (!size->is_number_unsigned() || size->get<std::uint64_t>() < kLeastBytes ||
            size->get<std::uint64_t>() > kMostBytes)
            return fail(invalid("`sizeBytes`: expected a whole number from 16 to 65536"));
        order.payload_bytes = size->get<std::uint32_t>();
    }
    if (const auto limit = request.find("timeoutSeconds"); limit != request.end()) {
        if (!limit->is_number() || limit->get<double>() <= 0 || limit->get<double>() > kMostSeconds)
            return fail(invalid("`timeoutSeconds`: expected a number above 0, up to 60"));
        order.timeout = std::chrono::duration_cast<Duration>(
            std::chrono::duration<double>(limit->get<double>()));
    }
    if (const auto version = request.find("version"); version != request.end()) {
        if (*version != 6 && *version != 7)
            return fail(invalid("`version`: expected 6 or 7, of the Bundle Protocol"));
        order.version = version->get<std::uint8_t>();
    }
    return order;
}

void PingCommands::ping(const Json &request, const Answer &answer) {
    auto order = read_ping(request, config_);
    if (!order) return answer(order.error());
    if (waiting_.size() >= kMost)
        return answer(error_reply(
            Refusal::kUnavailable,
            std::to_string(kMost) + " pings wait for their answers already; try again"));
    const std::uint64_t id = ++last_id_;
    bus::PingRequest message{.id = id,
                             .destination = {},
                             .payload_bytes = order->payload_bytes,
                             .lifetime = order->timeout + kClocksDiffer,
                             .version = order->version};
    message.destination.assign(order->destination.begin(), order->destination.end());
    const Duration timeout = order->timeout;
    Waiting &waiting = waiting_
                           .emplace(id, Waiting{std::move(*order), answer,
                                                boost::asio::steady_timer(io_, timeout)})
                           .first->second;
    waiting.timer.async_wait([this, id](const boost::system::error_code &error) {
        if (!error) give_up(id, "no answer in time; `routes explain` tells which way it takes");
    });
    requests_.send(bus::AgentId::kIngress, std::move(message));
}

void PingCommands::handle(const bus::PingReply &reply) {
    if (!reply.error.empty()) return give_up(reply.id, std::string(as_text(reply.error)));
    const auto found = waiting_.extract(reply.id);
    if (found.empty()) return;  // too late
    const Waiting &waiting = found.mapped();
    waiting.answer(
        {{"ok", true},
         {"destination", waiting.order.destination},
         {"sizeBytes", waiting.order.payload_bytes},
         {"answered", true},
         {"milliseconds", static_cast<double>(reply.taken.count()) / kNanosecondsPerMs}});
}

void PingCommands::give_up(std::uint64_t id, const std::string &why) {
    const auto found = waiting_.extract(id);
    if (found.empty()) return;
    const Waiting &waiting = found.mapped();
    waiting.answer({{"ok", true},
                    {"destination", waiting.order.destination},
                    {"sizeBytes", waiting.order.payload_bytes},
                    {"answered", false},
                    {"why", why}});
}

void PingCommands::handle_lost(bus::AgentId module) {
    if (module != bus::AgentId::kIngress) return;
    while (!waiting_.empty())
        give_up(waiting_.begin()->first, "ingress has died, and with it the answer");
}

}  // namespace farlink::app
