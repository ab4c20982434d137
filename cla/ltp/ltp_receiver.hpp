// SPDX-License-Identifier: Apache-2.0
// Receives bundles from one remote engine: hands them to the host, and takes its answers.
// Owned by an LTP link beside its port; one thread.
// BundleInbox cuts blocks into bundles; this class limits what is unacknowledged, calls the host,
// and runs the timer for bundles that are offered again.
#pragma once

#include "cla/ltp/core/bundle_inbox.hpp"
#include "cla/ltp/ltp_port.hpp"

namespace farlink::cla::ltp {

class LtpReceiver {
public:
    /// `link` is the induct or the outduct by which the peer's bundles arrive.
    LtpReceiver(LinkResources resources, LtpPort &port, LinkId link,
                const config::LinkOptions &options);

    /// Begins a session of the host, with a new number.
    UpstreamId open();
    /// Publishes the session and its peer to the host, which may call back at once.
    void introduce(const PeerIdentity &peer);
    void close(LinkFault fault);
    [[nodiscard]] UpstreamId upstream() const { return upstream_; }

    void handle(const ReceivedBlock &block);
    /// As BundleSource::acknowledge().
    void acknowledge(std::uint64_t first, std::uint32_t count, TransferDisposition disposition);
    /// The host has acknowledged or refused all bundles that it got, and gets none of them again.
    [[nodiscard]] bool all_acknowledged() const { return inbox_.all_acknowledged(); }
    /// Blocks that exceeded the limit of unacknowledged bytes.
    [[nodiscard]] std::uint64_t refused_blocks() const { return refused_blocks_; }

private:
    void handle_part(const ReceivedBlock &part);
    void handle_due();
    void offer_again();
    void arm();

    LinkResources resources_;
    LtpPort &port_;
    LinkId link_;
    const config::LinkOptions &options_;
    UpstreamId upstream_ = kNoUpstream;
    ReceivedBundles received_;
    BundleInbox inbox_;
    std::uint64_t refused_blocks_ = 0;
    Owned<LinkTimer> timer_;  ///< made when bundles wait for the first time
    TimePoint armed_ = kNever;
};

}  // namespace farlink::cla::ltp
