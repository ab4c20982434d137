// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/ping_commands.hpp"

#include <charconv>
#include <optional>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/config_error.hpp"
#include "module/control/core/json/replies.hpp"

namespace farlink::control {
namespace {

using Json = PingCommands::Json;

constexpr std::uint64_t kUsualEchoService = 2047;
constexpr std::uint64_t kLeastBytes = 16;
constexpr std::uint64_t kMostBytes = 64 * 1024;
constexpr double kMostSeconds = 60;
constexpr double kNanosecondsPerMs = 1e6;
/// Added to the timeout for the lifetime of the request: the clocks of nodes differ.
constexpr Duration kClocksDiffer = seconds(60);

Json invalid(const std::string &error) {
    return error_reply(Refusal::kInvalid, error);
}

/// The number of a text that is a node number alone.
std::optional<std::uint64_t> node_of(std::string_view text) {
    if (text.starts_with("ipn:")) text.remove_prefix(4);
    std::uint64_t node = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), node);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
    return node;
}

/// The endpoint of the request; empty: there is none.
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
            invalid("`destination`: expected an endpoint such as \"ipn:20.2047\", or the "
                    "number of a node, for its echo service"));
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

void PingCommands::ping(const Json &request, const Answer &answer, const WallClock &now) {
    auto order = read_ping(request, config_);
    if (!order) return answer(order.error());
    if (pending_.size() >= kMost)
        return answer(
            error_reply(Refusal::kUnavailable,
                        std::to_string(kMost) + " pings already wait for their echoes; try again"));
    const bus::RequestId id = requests_.next_id();
    bus::PingRequest message{.id = id,
                             .destination = {},
                             .payload_bytes = order->payload_bytes,
                             .lifetime = order->timeout + kClocksDiffer,
                             .version = order->version};
    message.destination.assign(order->destination.begin(), order->destination.end());
    const TimePoint until = now.at + order->timeout;
    pending_.add(id.value(), {std::move(*order), answer}, now.at, until);
    requests_.send(bus::AgentId::kIngress, std::move(message));
}

void PingCommands::handle(const bus::PingReply &reply) {
    const std::uint64_t id = reply.id.value();
    if (!reply.error.empty()) return fail(id, std::string(as_text(reply.error)));
    const auto request = pending_.take(id);
    if (!request) return;  // too late
    const Pending &pending = request->note;
    pending.answer(
        {{"ok", true},
         {"destination", pending.order.destination},
         {"sizeBytes", pending.order.payload_bytes},
         {"answered", true},
         {"milliseconds", static_cast<double>(reply.taken.count()) / kNanosecondsPerMs}});
}

void PingCommands::fail(std::uint64_t id, const std::string &why) {
    const auto request = pending_.take(id);
    if (!request) return;
    const Pending &pending = request->note;
    pending.answer({{"ok", true},
                    {"destination", pending.order.destination},
                    {"sizeBytes", pending.order.payload_bytes},
                    {"answered", false},
                    {"why", why}});
}

void PingCommands::handle_lost(bus::AgentId module) {
    if (module != bus::AgentId::kIngress) return;
    while (const auto id = pending_.first())
        fail(*id, "ingress has ended, and the request is lost");
}

void PingCommands::handle_timeout(TimePoint now) {
    while (const auto id = pending_.overdue(now))
        fail(*id, "no echo within the time limit; `routes explain` shows the route of the request");
}

}  // namespace farlink::control
