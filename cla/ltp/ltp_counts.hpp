// SPDX-License-Identifier: Apache-2.0
// Reports the engine's counters of a peer to the host.
// A tally is owned by an LTP link beside its peer.
// One thread.
#pragma once

#include <array>

#include "cla/api/link.hpp"
#include "cla/ltp/core/engine.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::cla::ltp {

/// In the order of telemetry::kLtpCounters; the rest is 0.
using LtpCounts = std::array<std::uint64_t, telemetry::kLtpCounts>;

/// What was reported to the host for one peer.
class LtpTally {
public:
    /// Reports the increase since the last report.
    void report(LinkHost &host, LinkId link, const PeerIdentity &peer, const Engine &engine,
                PeerId id);
    /// As report(), for a peer that was removed with its sessions.
    void report_ended(LinkHost &host, LinkId link, const PeerIdentity &peer,
                      const Counters &counters);

    /// Takes back the levels that were reported for `peer`: what is reported from now on is of
    /// another name.
    void end_levels(LinkHost &host, LinkId link, const PeerIdentity &peer);

private:
    void publish(LinkHost &host, LinkId link, const PeerIdentity &peer, const LtpCounts &now);

    LtpCounts published_{};
};

/// Reports datagrams that were dropped since their sender is no peer.
void report_strangers(LinkHost &host, LinkId link, std::uint64_t more);

}  // namespace farlink::cla::ltp
