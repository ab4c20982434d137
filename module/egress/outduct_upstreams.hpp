// SPDX-License-Identifier: Apache-2.0
// Sessions of outducts by which bundles arrive: announces them to ingress, lends it their bundles,
// and passes pauses and dispositions back to the outducts.
// Owned by the egress agent; its thread only.
#pragma once

#include <functional>
#include <unordered_map>

#include "cla/api/link.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/bus/messages.hpp"
#include "module/egress/core/link_table.hpp"
#include "module/egress/unacknowledged_transfers.hpp"

namespace farlink::egress {

class OutductUpstreams {
public:
    struct Calls {
        std::function<cla::Outduct *(LinkId)> outduct_of;  ///< null for a link that was removed
        std::function<void(bus::Message)> send;            ///< to ingress
    };
    /// `ingress_elsewhere`: ingress is in another process, which may end before this one.
    OutductUpstreams(LinkTable &links, BatchPool &batches, bool ingress_elsewhere, Calls calls)
        : links_(links),
          batches_(batches),
          ingress_elsewhere_(ingress_elsewhere),
          calls_(std::move(calls)) {}

    // ---- from the links
    void handle_opened(LinkId link, UpstreamId session, bool acknowledges);
    void handle_closed(LinkId link, UpstreamId session);
    void handle_bundles(LinkId link, UpstreamId session, const ReceivedBundles &received);

    // ---- from ingress
    void handle(const bus::UpstreamPause &pause);
    void handle(const bus::TransferDispositions &dispositions);

    // ---- ingress in another process
    /// Refuses all unacknowledged transfers, so that their senders repeat them, and resumes all
    /// sessions.
    void handle_ingress_lost();
    /// A restarted ingress has no session yet.
    void announce_all();

private:
    struct Upstream {
        LinkId link = kNoLink;
        bool acknowledges = false;
        UnacknowledgedTransfers unacknowledged;  ///< used while ingress is in another process
    };

    [[nodiscard]] BatchPtr begin_batch(UpstreamId session, const ReceivedBundles &received);
    [[nodiscard]] cla::Outduct *outduct_of(UpstreamId session) const;
    void refuse_unacknowledged(UpstreamId session, Upstream &upstream);

    LinkTable &links_;
    BatchPool &batches_;  ///< lent to ingress
    const bool ingress_elsewhere_;
    const Calls calls_;
    std::unordered_map<UpstreamId, Upstream> upstreams_;
    bool ingress_lost_ = false;
};

}  // namespace farlink::egress
