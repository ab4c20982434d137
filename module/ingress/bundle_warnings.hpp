// SPDX-License-Identifier: Apache-2.0
// Logs the bundles that ingress deletes, refuses or cannot fit, routing loops, status reports that
// are not sent, and peers that stop sending; at most one line a second of each kind.
// Owned by the ingress agent; its thread only.
#pragma once

#include <string>
#include <unordered_map>

#include "cla/api/link.hpp"
#include "common/config/link/link_config.hpp"
#include "common/runtime/log/counted_events.hpp"
#include "common/runtime/log/log.hpp"
#include "common/runtime/log/refused_bundles.hpp"
#include "module/ingress/core/state/bundle_notices.hpp"
#include "module/ingress/core/state/upstreams.hpp"

namespace farlink::ingress {

class BundleWarnings {
public:
    explicit BundleWarnings(Logger &log) : log_(log), refused_(log) {}

    /// The names that peers announce, for the log and for telemetry.
    void handle_peer(UpstreamId session, const cla::PeerIdentity &peer) {
        names_[session] = peer.node_id.empty() ? peer.address : peer.node_id;
    }
    void handle_closed(UpstreamId session) { names_.erase(session); }
    /// Empty when the peer has announced none.
    [[nodiscard]] std::string announced_name(UpstreamId session) const;

    void log(const BundleNotices &notices, TimePoint now);
    void log_stalled(const config::InductConfig &induct,
                     const Upstreams::StalledByRefusals &stalled, TimePoint now);
    /// So many bundles of the session were refused by its layer.
    void log_refused(LinkId link, UpstreamId session, std::uint64_t bundles, TimePoint now) {
        refused_.add(link, bundles, announced_name(session), now);
    }
    /// Logs what was counted since the last line.
    void handle_second(TimePoint now);

private:
    /// " received from " the peer, or " received by " the link; empty if neither is known.
    [[nodiscard]] std::string origin_of(UpstreamId from, LinkId link, NodeNumber neighbour) const;
    void log_withheld(TimePoint now);

    Logger &log_;
    LogLimiter exceeding_{seconds(1)};
    LogLimiter without_hops_{seconds(1)};
    LogLimiter rejected_{seconds(1)};
    LogLimiter security_{seconds(1)};
    LogLimiter stalled_{seconds(1)};
    RefusedBundles refused_;
    LogLimiter loops_{seconds(10)};
    CountedEvents withheld_{seconds(10)};
    std::string withheld_from_;  ///< the report-to endpoint of the last one
    std::unordered_map<UpstreamId, std::string> names_;
};

}  // namespace farlink::ingress
