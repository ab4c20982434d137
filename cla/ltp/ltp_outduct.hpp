// SPDX-License-Identifier: Apache-2.0
// The LTP way out to one neighbour, by a UDP port of its own; what comes back by it is taken too.
// Owned by the agent; lives on the agent's loop and is called there only.
// LTP knows no connection: the link counts as connected when its address is known, and until the
// neighbour does not answer any more. One that is asked by pings must answer then to come up again.
#pragma once

#include <optional>

#include "cla/io/name_resolver.hpp"
#include "cla/io/reconnection.hpp"
#include "cla/ltp/dropped_senders.hpp"
#include "cla/ltp/ltp_counts.hpp"
#include "cla/ltp/ltp_keys.hpp"
#include "cla/ltp/ltp_port.hpp"
#include "cla/ltp/ltp_receiver.hpp"
#include "cla/ltp/ltp_sender.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::ltp {

/// kClosed ──open()──► kConnecting ──name resolved──► kConnected ──close()──► kClosing ──► kClosed
///                          ▲   │ failed: back-off       │  ▲ │                  (all answered, or
///                          └───┴──◄──no answer──────────┘  │ │                  nobody answers)
///                                                          └─┘ suspend(), open(): no time passes
class LtpOutduct final : public Outduct, private PortUser {
public:
    LtpOutduct(LinkResources resources, const config::OutductConfig &config, LtpKeys keys,
               std::uint64_t seed);
    ~LtpOutduct() override;

    void open() override;
    void suspend() override;
    void close() override;
    [[nodiscard]] std::uint64_t transmit_credit() const override;
    void transmit(std::span<const TxBundle> bundles) override;
    void flush() override;
    void set_rate(BitRate rate) override;
    void set_owlt(Duration owlt) override;
    void acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override;
    void flush_acknowledgements() override;
    void report_counts() override;

private:
    /// What lives from the resolved address to the loss of the neighbour.
    struct Line {
        explicit Line(LtpOutduct &outduct);
        LtpPort port;
        PeerId peer{};
        std::optional<LtpSender> sender;
        LtpReceiver receiver;
        LtpTally tally;
    };

    void on_block(const ReceivedBlock &block) override;
    void on_event(const Event &event) override;
    std::optional<PeerId> on_foreign_port(const DatagramAddress &from, ByteView datagram) override;
    std::optional<PeerId> on_stranger(const DatagramAddress &from, ByteView datagram) override;
    void on_turn_end() override;

    void transition(LinkState to, LinkFault fault);
    void resolve();
    void handle_resolved(const NameResolver::Found &found);
    [[nodiscard]] bool connect_to(const boost::asio::ip::udp::endpoint &peer);
    void retry_at(TimePoint when, LinkFault fault);
    void come_up();
    void wait_for_answer();
    void open_line();
    void lose_neighbour();
    void end_line(LinkFault fault);
    void finish_closing();
    [[nodiscard]] EngineId own_engine() const;
    [[nodiscard]] EngineId remote_engine() const;

    LinkResources resources_;
    config::OutductConfig config_;
    LtpKeys keys_;
    NameResolver resolver_;
    MonotonicTimer timer_;  ///< back-off, or the end of closing
    Reconnection reconnection_;
    Logger log_{"ltp"};
    LogLimiter unbound_log_{seconds(60)};
    LinkState state_ = LinkState::kClosed;
    TimePoint connected_at_{};
    BitRate rate_;
    Duration owlt_;
    std::optional<Line> line_;
    DroppedSenders dropped_;
    std::uint64_t strangers_published_ = 0;
    bool announce_ = false;  ///< what the settings lead to is to be logged
    bool suspended_ = false;
    bool lost_ = false;  ///< the neighbour does not answer; the line goes when its turn is over
    bool no_client_ = false;    ///< or it answers that nobody there takes bundles
    bool asks_ = false;         ///< it did not answer: the link comes up when it does
    bool received_at_ = false;  ///< it has answered; the link comes up when the turn is over
    bool moved_ = false;        ///< the neighbour has taken a block
};

}  // namespace farlink::cla::ltp
