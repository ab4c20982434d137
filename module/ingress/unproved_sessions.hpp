// SPDX-License-Identifier: Apache-2.0
// Sessions of peers whose node id is not proved: their bundles are accepted, and none are sent to
// them. Shown to the operator as links of their own, with what to add to the configuration.
// Owned by NeighbourSessions; one thread. At most 64 are shown at a time.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "cla/api/link.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"

namespace farlink::ingress {

class UnprovedSessions {
public:
    UnprovedSessions(const config::LinkPlacement &placement, std::size_t instance)
        : placement_(placement), instance_(instance) {}

    /// `own` is the number of this node.
    void open(UpstreamId session, const config::InductConfig &induct, const cla::PeerIdentity &peer,
              NodeNumber own);
    /// The message to telemetry about its end; empty when it was not shown.
    [[nodiscard]] std::optional<bus::LinkInfo> close(UpstreamId session);
    /// The message to telemetry about a session that is shown.
    [[nodiscard]] std::optional<bus::LinkInfo> info(UpstreamId session) const;
    /// What to do about it, for the log; null when it is not shown.
    [[nodiscard]] const std::string *advice(UpstreamId session) const;
    /// Its number as a link; kNoLink when it is not shown.
    [[nodiscard]] LinkId link(UpstreamId session) const;
    template <class Each>
    void for_each(Each &&each) const {
        for (const auto &[session, shown] : shown_) each(session);
    }

private:
    struct Shown {
        LinkId link = kNoLink;
        NodeNumber claims;  ///< 0: no number
        std::string name;   ///< the dtn name that it claims; empty: none
        std::string url;
        std::string advice;
    };

    const config::LinkPlacement &placement_;
    std::size_t instance_;
    std::map<UpstreamId, Shown> shown_;
};

}  // namespace farlink::ingress
