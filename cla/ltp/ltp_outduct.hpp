// SPDX-License-Identifier: Apache-2.0
// An LTP outduct to one neighbour, by a UDP port of its own; the neighbour's bundles arrive by it
// too. Owned by the agent; lives on the agent's loop and is called there only. LTP has no
// connections: the outduct counts as connected while its neighbour's address is known and the
// neighbour answers. With pings configured, a lost neighbour must answer one first.
#pragma once

#include <memory>
#include <optional>

#include "cla/io/name_resolver.hpp"
#include "cla/io/reconnection.hpp"
#include "cla/ltp/core/trial.hpp"
#include "cla/ltp/io/dropped_senders.hpp"
#include "cla/ltp/io/link_timer.hpp"
#include "cla/ltp/ltp_counts.hpp"
#include "cla/ltp/ltp_keys.hpp"
#include "cla/ltp/ltp_port.hpp"
#include "cla/ltp/ltp_receiver.hpp"
#include "cla/ltp/ltp_sender.hpp"

namespace farlink::cla::ltp {

/// kClosed ──open()──► kConnecting ──name resolved──► kConnected ──close()──► kClosing ──► kClosed
///                          ▲   │ failed: back-off       │  ▲ │                  (all answered, or
///                          └───┴──◄──no answer──────────┘  │ │                  time out)
///                                                          └─┘ suspend(), open(): timers stop
class LtpOutduct final : public Outduct, private PortUser {
public:
    LtpOutduct(LinkResources resources, const config::OutductConfig &config, LtpKeys keys,
               std::uint64_t seed);

    void open() override;
    void suspend() override;
    void close() override;
    [[nodiscard]] std::uint64_t transmit_credit() const override;
    void transmit(std::span<const TxBundle> bundles) override;
    void flush() override;
    [[nodiscard]] bool takes_pieces() const override { return true; }
    void break_off() override;
    void set_rate(BitRate rate) override;
    void set_owlt(Duration owlt) override;
    void acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override;
    void flush_acknowledgements() override;
    void pause(UpstreamId upstream, bool paused) override;
    void report_counts() override;

private:
    /// Exists from the resolved address to the loss of the neighbour.
    struct Line {
        explicit Line(LtpOutduct &outduct);
        LtpPort port;
        PeerId peer{};
        std::optional<LtpSender> sender;
        LtpReceiver receiver;
        LtpTally tally;
    };

    /// What the timer waits for.
    enum class Wait : std::uint8_t { kRetry, kAnswer, kClosing, kTurnEnd };

    void on_block(const ReceivedBlock &block) override;
    void on_event(const Event &event) override;
    std::optional<PeerId> on_foreign_port(const DatagramAddress &from, ByteView datagram) override;
    std::optional<PeerId> on_stranger(const DatagramAddress &from, ByteView datagram) override;
    void on_turn_end() override;
    void handle_end(const Event &event);

    void transition(LinkState to, LinkFault fault);
    void look_up();
    void handle_resolved(const NameResolver::Found &found, const boost::system::error_code &error);
    void wait_until(TimePoint due, Wait wait);
    void handle_due();
    /// Why no socket opens; empty: it is open.
    [[nodiscard]] std::string connect_to(const boost::asio::ip::udp::endpoint &peer);
    void retry_at(TimePoint when, LinkFault fault);
    void come_up();
    void wait_for_answer();
    void give_up_waiting();
    void handle_turn_ended();
    void lose_neighbour();
    void end_line(LinkFault fault);
    void finish_closing();
    [[nodiscard]] EngineId own_engine() const;
    [[nodiscard]] EngineId remote_engine() const;

    LinkResources resources_;
    config::OutductConfig config_;
    LtpKeys keys_;
    NameResolver resolver_;
    Owned<LinkTimer> timer_;
    Wait wait_ = Wait::kRetry;
    Reconnection reconnection_;
    Trial trial_;
    Logger log_{"ltp"};
    LogLimiter unbound_log_{seconds(60)};
    LinkState state_ = LinkState::kClosed;
    TimePoint connected_at_{};
    BitRate rate_;
    Duration configured_owlt_;
    Duration owlt_;
    /// Calls of the port hold it: the host may end it meanwhile.
    std::shared_ptr<Line> line_;
    DroppedSenders dropped_{
        "from addresses other than the neighbour's (with `strict`: address and port)"};
    std::uint64_t strangers_published_ = 0;
    bool announce_ = false;  ///< the next connection is logged
    bool suspended_ = false;
    bool lost_ = false;       ///< the neighbour does not answer; the line ends after this turn
    bool no_client_ = false;  ///< the neighbour answers that it has no client service for bundles
    bool asks_ = false;       ///< the neighbour must answer a ping before the link comes up
    bool answered_ = false;   ///< the neighbour has answered; the link comes up after this turn
    bool moved_ = false;      ///< the neighbour has taken a block
};

}  // namespace farlink::cla::ltp
