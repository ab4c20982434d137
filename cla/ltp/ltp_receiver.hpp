// SPDX-License-Identifier: Apache-2.0
// Bundles that come from one remote engine: handed to the host, and settled.
// Owned by an LTP link beside its port; one thread.
// The inbox thinks; this bounds what waits to be settled and speaks with the host.
#pragma once

#include "cla/ltp/core/bundle_inbox.hpp"
#include "cla/ltp/ltp_port.hpp"

namespace farlink::cla::ltp {

class LtpReceiver {
public:
    /// `link` is the induct, or the outduct, that the peer's bundles come by.
    LtpReceiver(LinkResources resources, LtpPort &port, LinkId link,
                const config::LinkOptions &options);

    /// The session of bundles begins, with a name for the host.
    UpstreamId open();
    /// Tells the host of it, who may answer at once.
    void introduce(const PeerIdentity &peer);
    void close(LinkFault fault);
    [[nodiscard]] UpstreamId upstream() const { return upstream_; }

    void handle(const ReceivedBlock &block);
    /// As BundleSource::settle().
    void acknowledge(std::uint64_t first, std::uint32_t count, TransferDisposition disposition);
    /// Blocks for which too much of the peer's was still to be settled.
    [[nodiscard]] std::uint64_t refused_blocks() const { return refused_blocks_; }

private:
    LinkResources resources_;
    LtpPort &port_;
    LinkId link_;
    const config::LinkOptions &options_;
    UpstreamId upstream_ = kNoUpstream;
    ReceivedBundles received_;
    BundleInbox inbox_;
    std::uint64_t refused_blocks_ = 0;
};

}  // namespace farlink::cla::ltp
