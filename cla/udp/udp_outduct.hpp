// SPDX-License-Identifier: Apache-2.0
// The UDP outduct: a socket that is connected to one neighbour, without any handshake.
// Owned by the agent, through Owned<>; lives on the agent's loop and is called there only.
// A bundle counts as handed over when the kernel has taken its datagram: what the network or the
// neighbour loses is lost, and only ICMP may report that nothing listens there. UDP has no
// congestion control either, so a link that is shared needs a rate limit.
#pragma once

#include <boost/asio/ip/udp.hpp>

#include "cla/io/back_off.hpp"
#include "cla/io/link_body.hpp"
#include "cla/io/name_resolver.hpp"
#include "cla/io/rate_limit.hpp"
#include "cla/io/resources.hpp"
#include "cla/udp/core/udp_sender.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::udp {

/// Errors after which the link went on.
struct SendErrors {
    std::uint64_t refused = 0;      ///< ICMP: nothing listens there
    std::uint64_t unreachable = 0;  ///< no path to the neighbour just now
    std::uint64_t no_buffers = 0;   ///< the kernel or a queue of the network card was full
    std::uint64_t too_large = 0;    ///< EMSGSIZE
    std::uint64_t offload = 0;  ///< segmentation offload did not work and was narrowed or left off
    std::uint64_t other = 0;
};

/// The state of the link, as reported to the host:
///
///   kClosed ──open()──► kConnecting ──name resolved──► kConnected ──close()──► kClosed
///                          ▲  │ failed: back-off           │
///                          └──┴─────────◄──────────────────┘ no address any more
///
/// and of the flow while it is kConnected. An error holds the flow for a while; then the name is
/// resolved again, and one datagram probes whether the neighbour is back:
///
///   kFlowing ──error──► kHeld ──back-off is over, new socket──► kProbing ──one sent──► kProbed
///      ▲                 ▲ │ (no buffers: the old socket)                                │ │
///      │                 │ └────────────────────► kFlowing                         error │ │
///      │                 └────────────────────────────────────────────────────◄──────────┘ │
///      └──────────────────────────────────────────────────────◄── no error for a while ────┘
class UdpOutduct final : public Outduct, public LinkBody {
public:
    UdpOutduct(LinkResources resources, const config::OutductConfig &config, std::uint64_t seed);
    void abandon();

    void open() override;
    /// At once: nothing is acknowledged, so there is nothing to wait for.
    void close() override;
    [[nodiscard]] std::uint64_t transmit_credit() const override;
    void transmit(std::span<const TxBundle> bundles) override;
    void flush() override;
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override { return max_datagram_bytes_; }
    void set_rate(BitRate rate) override { rate_.set_contact_rate(rate); }

    [[nodiscard]] const UdpSender &sender() const { return sender_; }
    [[nodiscard]] const SendErrors &errors() const { return errors_; }

private:
    enum class Flow : std::uint8_t { kFlowing, kHeld, kProbing, kProbed };

    void transition(LinkState to, LinkFault fault);
    void resolve();
    void handle_resolved(const NameResolver::Found &found, boost::system::error_code error);
    [[nodiscard]] boost::system::error_code connect_to(const boost::asio::ip::udp::endpoint &peer);
    void configure();
    void retry_resolving(LinkFault fault);
    void arm_retry();
    void release();

    [[nodiscard]] bool send_some();
    [[nodiscard]] bool handle_send_error(int error, const OutMessage &front);
    void narrow_offload(std::uint32_t segment_size);
    void handle_network_error(int error);
    void hold(Duration wait, bool anew);
    void watch_probe();
    void end_probe();
    void resume();
    void wait_writable();
    void arm_keep_alive();
    void keep_alive();
    void report();

    LinkResources resources_;
    config::OutductConfig config_;
    NameResolver resolver_;
    boost::asio::ip::udp::socket socket_;
    MonotonicTimer flow_timer_;  ///< back-off, hold and probe: one at a time
    MonotonicTimer keep_alive_timer_;
    UdpSender sender_;
    RateLimit rate_;
    BackOff back_off_;
    SendErrors errors_;
    LinkState state_ = LinkState::kClosed;
    Flow flow_ = Flow::kFlowing;
    std::uint64_t max_datagram_bytes_;
    std::uint64_t reported_ = 0;  ///< the last token that was reported
    TimePoint last_write_{};
    bool ipv6_ = false;
    bool waiting_writable_ = false;
    bool size_error_ = false;  ///< the last send failed with EMSGSIZE
};

}  // namespace farlink::cla::udp
