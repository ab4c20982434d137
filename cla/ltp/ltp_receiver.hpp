// SPDX-License-Identifier: Apache-2.0
// Bundles that come from one remote engine: taken out of their blocks, and settled.
// Owned by an LTP link beside its port; one thread.
// A block is safe when all of its bundles are, and only then its closing report may go.
#pragma once

#include "cla/ltp/ltp_port.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::cla::ltp {

/// Why a block, or a bundle of it, was not passed on.
struct ReceiverCounters {
    std::uint64_t malformed_blocks = 0;  ///< no bundle where one should begin, or cut off
    std::uint64_t refused_blocks = 0;    ///< too much of the peer's waits to be settled
};

class LtpReceiver {
public:
    /// `link` is the induct, or the outduct, that the peer's bundles come by.
    LtpReceiver(LinkResources resources, LtpPort &port, LinkId link,
                const config::LinkOptions &options);

    /// The session of bundles begins; `peer` tells who it is.
    void open(const PeerIdentity &peer);
    void close(LinkFault fault);
    [[nodiscard]] UpstreamId upstream() const { return upstream_; }

    void handle(const ReceivedBlock &block);
    /// As BundleSource::settle().
    void settle(std::uint64_t first, std::uint32_t count, Settlement settlement);
    [[nodiscard]] const ReceiverCounters &counters() const { return counters_; }

private:
    /// A block whose bundles the host has.
    struct Transfer {
        SessionHandle session;
        std::uint64_t bytes = 0;
        std::uint64_t end = 0;  ///< number of the bundle behind its last
        std::uint32_t open = 0;  ///< not settled
        bool refused = false;
    };

    [[nodiscard]] bool split(const ReceivedBlock &block);
    void add_bundle(const ReceivedBlock &block, std::uint64_t begin, std::uint64_t end);
    [[nodiscard]] Transfer *transfer_of(std::uint64_t number);
    void finish(const Transfer &transfer);

    LinkResources resources_;
    LtpPort &port_;
    LinkId link_;
    const config::LinkOptions &options_;
    UpstreamId upstream_ = kNoUpstream;
    ReceivedBundles received_;
    ReceiverCounters counters_;

    std::uint64_t next_number_ = 0;  ///< of the next bundle
    Ring<Transfer> transfers_;
    std::uint64_t unsettled_bytes_ = 0;
};

}  // namespace farlink::cla::ltp
