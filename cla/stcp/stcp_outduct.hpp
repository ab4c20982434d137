// SPDX-License-Identifier: Apache-2.0
// The outduct of STCP and MTCP: keeps a connection to the neighbour while it is open, and writes.
// Owned by the agent, through Owned<>; lives on the agent's loop and is called there only.
// A bundle counts as handed over when the peer's kernel has acknowledged it (tcpi_bytes_acked).
#pragma once

#include <boost/asio/ip/tcp.hpp>

#include "cla/io/connector.hpp"
#include "cla/io/link_body.hpp"
#include "cla/io/rate_limit.hpp"
#include "cla/io/resources.hpp"
#include "cla/stcp/ack_notices.hpp"
#include "cla/stcp/core/stcp_sender.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::stcp {

///   kClosed ──open()──► kConnecting ──connected──► kConnected ──close()──► kClosing ──► kClosed
///                           ▲  │ failed: back-off        │ lost                 (all acknowledged,
///                           └──┴──────────◄──────────────┘                    peer gone, or late)
class StcpOutduct final : public Outduct, public LinkBody {
public:
    StcpOutduct(LinkResources resources, const config::OutductConfig &config, std::uint64_t seed);
    void abandon();

    void open() override;
    void close() override;
    [[nodiscard]] std::uint64_t transmit_credit() const override;
    void transmit(std::span<const TxBundle> bundles) override;
    void flush() override;
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override;
    [[nodiscard]] bool takes_pieces() const override { return true; }
    void break_off() override;
    void set_rate(BitRate rate) override { rate_.set_contact_rate(rate); }

private:
    void transition(LinkState to, LinkFault fault);
    void handle_connected(boost::asio::ip::tcp::socket socket);
    void lose(LinkFault fault);
    void watch_peer();
    void read_peer();
    void wait_writable();
    [[nodiscard]] bool write_some();
    void half_close_when_written();
    void check_acknowledged();
    void arm_acknowledge_timer();
    void arm_keep_alive();
    void keep_alive();
    void arm_closing_timer();
    void stop_timers();
    void end();
    [[nodiscard]] std::uint64_t kernel_acknowledged() const;

    LinkResources resources_;
    config::OutductConfig config_;
    Connector connector_;
    boost::asio::ip::tcp::socket socket_;
    MonotonicTimer acknowledge_timer_;
    MonotonicTimer keep_alive_timer_;
    MonotonicTimer closing_timer_;
    StcpSender sender_;
    AckNotices notices_;
    RateLimit rate_;
    LinkState state_ = LinkState::kClosed;
    Duration acknowledge_poll_{};
    std::uint64_t acknowledged_before_ = 0;  ///< tcpi_bytes_acked right after the handshake
    std::uint64_t acknowledged_offset_ = 0;  ///< of the stream, at the last check
    std::uint64_t reported_ = 0;             ///< the last token that was reported
    std::uint64_t reported_before_ = 0;      ///< reported_ as the connection began
    TimePoint connected_{};
    TimePoint last_write_{};
    bool waiting_writable_ = false;
    bool peer_has_sent_ = false;  ///< octets, on this connection
    bool acknowledge_armed_ = false;
    bool half_closed_ = false;
};

}  // namespace farlink::cla::stcp
