// SPDX-License-Identifier: Apache-2.0
// One accepted connection of STCP or MTCP: reads what the kernel has and hands whole bundles to the
// host. Owned by its StcpInduct; lives on the induct's loop and is called there only. Between reads
// it holds the remainder of a bundle and no other memory.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <optional>

#include "cla/io/link_body.hpp"
#include "cla/io/memory_wait.hpp"
#include "cla/io/quick_ack.hpp"
#include "cla/io/resources.hpp"
#include "cla/stcp/core/stcp_receiver.hpp"
#include "common/base/time.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::stcp {

class StcpSession : public LinkBody {
public:
    /// `on_closed` is called once, when the connection has ended by itself; which it also does when
    /// nothing at all has come for the induct's `idleTimeoutSeconds`, from a stranger without
    /// bundles for its `strangerIdleTimeoutSeconds`, or nothing in the middle of a bundle for
    /// `transfer_limit`.
    StcpSession(boost::asio::ip::tcp::socket socket, LinkResources resources,
                const config::InductConfig &config, UpstreamId id, Duration transfer_limit,
                std::function<void(UpstreamId, LinkFault)> on_closed);

    void start();
    void pause(bool paused);
    /// It has brought a bundle.
    [[nodiscard]] bool moved() const { return moved_; }
    /// Takes what the kernel has acknowledged to the peer, and then ends as if by itself.
    void finish();
    /// This node does not read it now.
    [[nodiscard]] bool waits() const { return paused_ || memory_wait_->waiting(); }
    /// Octets that the kernel has acknowledged to the peer and that are not read.
    [[nodiscard]] std::uint64_t unread_bytes();
    /// Ends the connection without a report.
    void abandon();

private:
    void wait_readable();
    void read_available();
    void wait_for_memory();
    void compact_later();
    void last_received();
    void watch_silence();
    [[nodiscard]] LinkFault silence() const;
    void give_up_later();
    void end(LinkFault fault);

    boost::asio::ip::tcp::socket socket_;
    Owned<MemoryWait> memory_wait_;
    MonotonicTimer compaction_timer_;
    MonotonicTimer idle_timer_;
    LinkResources resources_;
    LinkId link_;
    UpstreamId id_;
    PeerIdentity peer_;
    StcpReceiver receiver_;
    std::optional<ReceptionShares::Hold> hold_;  ///< from start() to abandon()
    ReceivedBundles received_;
    QuickAck quick_ack_;
    std::function<void(UpstreamId, LinkFault)> on_closed_;
    Duration idle_limit_;      ///< 0: none
    Duration stranger_limit_;  ///< of a stranger that has brought no bundle; 0: none
    Duration transfer_limit_;  ///< 0: none
    TimePoint last_received_{};
    bool paused_ = false;
    bool moved_ = false;
    bool waiting_ = false;     ///< a readiness wait is under way
    bool compacting_ = false;  ///< the compaction timer runs; later reads do not put it off
    bool finishing_ = false;
};

}  // namespace farlink::cla::stcp
