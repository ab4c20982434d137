// SPDX-License-Identifier: Apache-2.0
// A UDP port with an LTP engine: reads, writes, paces and runs the timers for all peers.
// Owned by an LTP induct or outduct; lives on its loop and is called there only.
// It works in turns: passes everything that was read to its user, then sends.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cla/io/datagram_io.hpp"
#include "cla/io/rate_limit.hpp"
#include "cla/io/resources.hpp"
#include "cla/ltp/core/engine.hpp"
#include "cla/ltp/io/link_timer.hpp"
#include "cla/ltp/io/ltp_random.hpp"
#include "cla/ltp/io/segment_socket.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla::ltp {

/// The calls of a port for arrived blocks and ended sessions.
class PortUser {
public:
    virtual ~PortUser() = default;
    virtual void on_block(const ReceivedBlock &block) = 0;
    virtual void on_event(const Event &event) = 0;
    /// A datagram from an address that no peer has. Returns its peer, or none to drop it.
    virtual std::optional<PeerId> on_stranger(const DatagramAddress & /*from*/,
                                              ByteView /*datagram*/) {
        return std::nullopt;
    }
    /// A datagram whose source address identifies no single peer. Returns the peer of its session,
    /// or none.
    virtual std::optional<PeerId> on_foreign_port(const DatagramAddress & /*from*/,
                                                  ByteView /*datagram*/) {
        return std::nullopt;
    }
    /// All blocks and events of this turn have been passed on.
    virtual void on_turn_end() {}
};

class LtpPort : private SegmentSocket::User {
public:
    LtpPort(LinkResources resources, const config::LinkOptions &link, EngineId own, PortUser &user);
    ~LtpPort() override;
    LtpPort(const LtpPort &) = delete;
    LtpPort &operator=(const LtpPort &) = delete;

    /// Why the address cannot be bound, or no error.
    [[nodiscard]] boost::system::error_code open(const boost::asio::ip::udp::endpoint &local);
    void close();
    [[nodiscard]] std::uint16_t port() const { return socket_->port(); }

    /// Adds a remote engine at this address, with an open contact.
    PeerId add_peer(const PeerConfig &config, const DatagramAddress &address);
    /// The peer also sends from this address; replaces the alias before it.
    void set_alias(PeerId peer, const DatagramAddress &address);
    /// Ends the peer and its sessions, and sends nothing. Returns the peer's last counters.
    Counters remove_peer(PeerId peer);
    [[nodiscard]] std::size_t peers() const { return peers_.size(); }
    [[nodiscard]] const DatagramAddress &address_of(PeerId peer) const {
        return peers_.at(peer)->address;
    }
    /// The rate of the peer's contact; the configured rate limits it.
    void set_rate(PeerId peer, BitRate rate);
    void set_owlt(PeerId peer, Duration owlt);
    void set_contact(PeerId peer, bool open);
    /// As BundleSource::pause(), for the peer's large blocks: smaller ones are in memory anyway.
    void pause(PeerId peer, bool paused);
    /// Octets that send_block() takes now by the engine's limits.
    [[nodiscard]] std::uint64_t send_credit(PeerId peer) const { return engine_.send_credit(peer); }

    [[nodiscard]] Engine &engine() { return engine_; }
    /// Passes on what the engine has, until it has no more. Call it after any call to the engine.
    void pump();
    /// Begins a turn with `work`: what it leads to is passed on after it. Not within a turn.
    template <class Work>
    void pump_after(Work work) {
        pumping_ = true;
        work();
        pumping_ = false;
        pump();
    }

private:
    struct PortPeer {
        PortPeer(LtpPort &port, PeerId peer, const DatagramAddress &peer_address);
        PeerId id;
        DatagramAddress address;  ///< its segments are sent here
        std::optional<DatagramAddress> alias;
        RateLimit rate;
        BitRate contact_rate{};
        BitRate pace{};
    };
    struct AddressHash {
        std::size_t operator()(const DatagramAddress &address) const noexcept;
    };

    void on_readable() override;
    void on_writable() override;
    void on_turn() override { pump(); }
    [[nodiscard]] Owned<SegmentSocket> make_socket();
    void handle_due();
    [[nodiscard]] std::string address_text(PeerId peer) const;
    void configure();
    [[nodiscard]] bool read_some();
    void take(const IncomingMessage &message, TimePoint now);
    [[nodiscard]] std::optional<PeerId> peer_at(const DatagramAddress &from, ByteView datagram);
    void publish(const SegmentSocket &socket);
    void send_all();
    [[nodiscard]] bool send_to(PortPeer &peer, std::uint64_t &budget);
    void follow_pace(PortPeer &peer);
    [[nodiscard]] bool send_batch();
    void forget_address(const DatagramAddress &address, PeerId peer);
    void build_messages(const DatagramAddress &to);
    void handle_send_error(int error);
    void arm_timer();
    void count_drops();
    void publish_refusals();

    LinkResources resources_;
    const config::LinkOptions &link_;
    PortUser &user_;
    LtpRandom random_;
    Engine engine_;
    Owned<SegmentSocket> socket_;
    Owned<LinkTimer> timer_;
    Logger log_{"ltp"};
    LogLimiter errors_log_{seconds(10)};
    LogLimiter refusals_log_{seconds(10)};
    std::uint64_t refusals_published_ = 0;

    std::map<PeerId, std::unique_ptr<PortPeer>> peers_;
    std::unordered_map<DatagramAddress, PeerId, AddressHash> by_address_;
    ReceivedBlock block_;
    OutBatch batch_;
    std::vector<iovec> vectors_;
    std::vector<OutgoingMessage> messages_;
    std::size_t sent_messages_ = 0;
    std::size_t messages_at_once_ = kMostMessages;  ///< for one read
    PeerId last_served_{};                          ///< the peer that sent last

    TimePoint armed_ = kNever;
    std::uint32_t dropped_before_ = 0;
    bool crowded_ = false;  ///< several engines have one address; segments identify the sender
    bool offload_ = false;  ///< segmentation offload works
    bool pumping_ = false;
    bool pump_again_ = false;
};

}  // namespace farlink::cla::ltp
