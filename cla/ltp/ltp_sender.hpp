// SPDX-License-Identifier: Apache-2.0
// Bundles on their way to one remote engine, and what the host is told of them.
// Owned by an LTP link beside its port; one thread.
// The outbox thinks; this lends it a timer and speaks with the host.
#pragma once

#include <memory>

#include "cla/ltp/core/bundle_outbox.hpp"
#include "cla/ltp/ltp_port.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::ltp {

class LtpSender {
public:
    /// `link` is what the host knows it by.
    LtpSender(LinkResources resources, LtpPort &port, PeerId peer, LinkId link,
              const config::LinkOptions &options);

    [[nodiscard]] std::uint64_t credit() const;
    void transmit(std::span<const TxBundle> bundles);
    /// Sends what waits for more to be put into the same block.
    void flush_block();
    /// The end of a block of this sender.
    void handle(const Event &event);
    /// Tells the host what has ended; at the end of a turn.
    void report();
    /// Bundles whose end the host has not heard of.
    [[nodiscard]] std::uint64_t unfinished() const { return next_token_ - reported_; }

private:
    void wait_for_more();

    LinkResources resources_;
    LtpPort &port_;
    LinkId link_;
    std::uint64_t max_bundles_;
    BundleOutbox outbox_;
    MonotonicTimer block_timer_;
    std::uint64_t next_token_ = 0;
    std::uint64_t reported_ = 0;  ///< the host knows the end of every bundle below it
    bool begun_ = false;
    bool full_ = false;  ///< the host was told of no credit
    /// Asks a timer that has run out already whether this object is there.
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace farlink::cla::ltp
