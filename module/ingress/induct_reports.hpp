// SPDX-License-Identifier: Apache-2.0
// Reports the state of inducts to telemetry, and counts their sessions and bundles.
// Owned by the ingress agent.
// Its thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "common/bus/messages.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/ingress/hosted_induct.hpp"

namespace farlink::ingress {

class InductReports {
public:
    /// `self` is the instance of ingress; `send` takes messages to telemetry.
    InductReports(bus::AgentId self, telemetry::LinkTallies &tallies,
                  std::function<void(bus::Message)> send)
        : self_(self), tallies_(tallies), send_(std::move(send)) {}

    /// `opened`: the result of its open().
    void publish_state(const HostedInduct &hosted, bool opened);
    void publish_removed(LinkId link);

    /// The tally of an induct that was opened.
    [[nodiscard]] telemetry::LinkTallies::Entry &tally_of(LinkId link) {
        return tallies_.entry(link);
    }
    void count_session(const HostedInduct &hosted, bool opened);
    void count_received(const HostedInduct &hosted, std::uint64_t bundles, std::uint64_t bytes);
    void count_refused(const HostedInduct &hosted, std::uint64_t bundles);

private:
    [[nodiscard]] static std::string reason_of(const HostedInduct &hosted, bool opened);

    bus::AgentId self_;
    telemetry::LinkTallies &tallies_;
    std::function<void(bus::Message)> send_;
};

}  // namespace farlink::ingress
