// SPDX-License-Identifier: Apache-2.0
// The engine's counters of a peer as the host counts them, by name.
// A tally is owned by an LTP link beside its peer.
// One thread; the names are constant.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "cla/api/link.hpp"
#include "cla/ltp/core/engine.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::cla::ltp {

/// One value for each name, and zeros behind them.
using LtpCounts = std::array<std::uint64_t, telemetry::kLtpCounts>;

/// In the order in which LinkHost::on_counted() is told.
[[nodiscard]] std::span<const std::string_view> ltp_count_names();

/// What the host has been told of a peer.
class LtpTally {
public:
    /// Tells what is new.
    void report(LinkHost &host, LinkId link, const PeerIdentity &peer, const Engine &engine,
                PeerId id);
    /// Tells what is new of a peer that is gone, and with it its sessions.
    void report_ended(LinkHost &host, LinkId link, const PeerIdentity &peer,
                      const Counters &counters);

private:
    void publish(LinkHost &host, LinkId link, const PeerIdentity &peer, const LtpCounts &now);

    LtpCounts published_{};
};

/// Tells of datagrams whose sender is no peer.
void report_strangers(LinkHost &host, LinkId link, std::uint64_t more);

}  // namespace farlink::cla::ltp
