// SPDX-License-Identifier: Apache-2.0
// Sends bundles to one remote engine, and reports their ends to the host.
// Owned by an LTP link beside its port; one thread.
// BundleOutbox puts bundles into blocks; this class adds a timer and the calls of the host.
#pragma once

#include <memory>

#include "cla/ltp/core/bundle_outbox.hpp"
#include "cla/ltp/io/link_timer.hpp"
#include "cla/ltp/ltp_port.hpp"

namespace farlink::cla::ltp {

class LtpSender {
public:
    /// `link` is the host's number of the outduct.
    LtpSender(LinkResources resources, LtpPort &port, PeerId peer, LinkId link,
              const config::LinkOptions &options);
    LtpSender(const LtpSender &) = delete;
    LtpSender &operator=(const LtpSender &) = delete;

    [[nodiscard]] std::uint64_t credit() const;
    void transmit(std::span<const TxBundle> bundles);
    /// Sends the block that waits for more bundles.
    void flush_block();
    /// No further pieces come of the bundle that is handed over in pieces.
    void break_off();
    /// Takes the event that ends a block, or a part of one, of this sender.
    void handle(const Event &event);
    /// Reports to the host which bundles have ended; call it at the end of a turn.
    void report();
    /// The link ends: the host gets what is left as not acknowledged.
    void give_back();
    /// Bundles whose end was not reported to the host yet.
    [[nodiscard]] std::uint64_t unfinished() const { return next_token_ - reported_; }

private:
    void handle_due();
    void wait_for_more();

    LinkResources resources_;
    LtpPort &port_;
    LinkId link_;
    std::uint64_t max_bundles_;
    BundleOutbox outbox_;
    Owned<LinkTimer> block_timer_;
    std::uint64_t next_token_ = 0;
    std::uint64_t reported_ = 0;  ///< the end of every bundle below it was reported
    bool begun_ = false;
    bool full_ = false;  ///< the host awaits on_writable()
};

}  // namespace farlink::cla::ltp
