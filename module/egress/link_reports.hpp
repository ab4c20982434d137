// SPDX-License-Identifier: Apache-2.0
// Logs how links connect and disconnect, and publishes their state to telemetry.
// Owned by the egress agent.
// Its thread only.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "common/bus/messages.hpp"
#include "common/runtime/log/log.hpp"
#include "module/egress/hosted_link.hpp"

namespace farlink::egress {

class LinkReports {
public:
    /// `self` is the instance of egress; `send` takes messages to telemetry.
    LinkReports(bus::AgentId self, Logger &log, std::function<void(bus::Message)> send)
        : self_(self), log_(log), send_(std::move(send)) {}

    void publish_state(LinkId id, HostedLink &link, std::string_view reason = {});
    void publish_removed(LinkId id);
    void handle_connected(LinkId id, HostedLink &link, TimePoint now);
    void handle_disconnected(LinkId id, HostedLink &link, bool was_up, cla::LinkFault fault,
                             TimePoint now);
    void handle_unreachable(LinkId id, HostedLink &link, std::string_view why, TimePoint now);

private:
    /// If a line about a connection may be logged: the number held back since the last one.
    [[nodiscard]] std::optional<std::uint64_t> admit_change(HostedLink &link, TimePoint now);
    void warn_once(LinkId id, HostedLink &link, std::string_view what, std::string_view why,
                   TimePoint now);

    bus::AgentId self_;
    Logger &log_;
    LogLimiter limiter_{seconds(1)};
    std::function<void(bus::Message)> send_;
};

}  // namespace farlink::egress
