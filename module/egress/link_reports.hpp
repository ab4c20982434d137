// SPDX-License-Identifier: Apache-2.0
// Logs how links connect and disconnect, each link within its own limit, and publishes their state
// to telemetry.
// Owned by the egress agent.
// Its thread only.
#pragma once

#include <functional>
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

    /// Logs the last state of a link whose lines were held back, once it has lasted.
    void handle_second(HostedLink &link, TimePoint now) { link.lines.handle_time(log_, now); }

private:
    void warn_once(LinkId id, HostedLink &link, std::string_view what, std::string_view why,
                   TimePoint now);

    bus::AgentId self_;
    Logger &log_;
    std::function<void(bus::Message)> send_;
};

}  // namespace farlink::egress
