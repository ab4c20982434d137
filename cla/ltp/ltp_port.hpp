// SPDX-License-Identifier: Apache-2.0
// A UDP port with an LTP engine behind it: reads, writes, paces and keeps the time for all peers.
// Owned by an LTP induct or outduct; lives on its loop and is called there only.
// What arrives and what has ended it tells its user, in turns: first everything that was read, then
// what leaves.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cla/io/datagram_io.hpp"
#include "cla/io/rate_limit.hpp"
#include "cla/io/resources.hpp"
#include "cla/ltp/core/engine.hpp"
#include "cla/ltp/ltp_random.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::ltp {

/// Whom a port tells.
class PortUser {
public:
    virtual ~PortUser() = default;
    virtual void on_block(const ReceivedBlock &block) = 0;
    virtual void on_event(const Event &event) = 0;
    /// A datagram from an address that no peer has; the peer that it belongs to, or nobody.
    virtual std::optional<PeerId> on_stranger(const DatagramAddress & /*from*/,
                                              ByteView /*datagram*/) {
        return std::nullopt;
    }
    /// Whose session a datagram is about, where its address does not tell.
    virtual std::optional<PeerId> on_foreign_port(const DatagramAddress & /*from*/,
                                                  ByteView /*datagram*/) {
        return std::nullopt;
    }
    /// All that was read is told; what it led to may be passed on.
    virtual void on_turn_end() {}
};

class LtpPort {
public:
    LtpPort(LinkResources resources, const config::LinkOptions &link, EngineId own, PortUser &user);
    ~LtpPort();
    LtpPort(const LtpPort &) = delete;
    LtpPort &operator=(const LtpPort &) = delete;

    /// Why the address cannot be bound, or no error.
    [[nodiscard]] boost::system::error_code open(const boost::asio::ip::udp::endpoint &local);
    void close();
    [[nodiscard]] std::uint16_t port() const;

    /// A remote engine at this address; its contact is open.
    PeerId add_peer(const PeerConfig &config, const DatagramAddress &address);
    /// The peer sends from this address, too; the one before is forgotten.
    void set_alias(PeerId peer, const DatagramAddress &address);
    /// Its sessions end without a word, and so does the peer. What was counted of it, at last.
    Counters remove_peer(PeerId peer);
    [[nodiscard]] std::size_t peers() const { return peers_.size(); }
    [[nodiscard]] const DatagramAddress &address_of(PeerId peer) const {
        return peers_.at(peer)->address;
    }
    /// Of its contact; the configured rate holds as well.
    void set_rate(PeerId peer, BitRate rate);
    void set_owlt(PeerId peer, Duration owlt);
    void set_contact(PeerId peer, bool open);
    /// Octets that send_block() takes now, by the engine's limits.
    [[nodiscard]] std::uint64_t send_credit(PeerId peer) const { return engine_.send_credit(peer); }

    [[nodiscard]] Engine &engine() { return engine_; }
    /// Passes on what the engine has, until it has no more: to be called when it was told anything.
    void pump();

private:
    struct PortPeer {
        PortPeer(LtpPort &port, PeerId peer, const DatagramAddress &peer_address);
        PeerId id;
        DatagramAddress address;  ///< that it is sent to
        std::optional<DatagramAddress> alias;
        RateLimit rate;
        BitRate contact_rate{};
        BitRate pace{};
    };
    struct AddressHash {
        std::size_t operator()(const DatagramAddress &address) const noexcept;
    };

    [[nodiscard]] std::string address_text(PeerId peer) const;
    void configure();
    void wait_readable();
    void read_available();
    [[nodiscard]] bool read_some();
    void take(const IncomingMessage &message, TimePoint now);
    [[nodiscard]] std::optional<PeerId> peer_at(const DatagramAddress &from, ByteView datagram);
    void publish();
    void send_all();
    [[nodiscard]] bool send_to(PortPeer &peer, std::uint64_t &budget);
    void follow_pace(PortPeer &peer);
    [[nodiscard]] bool send_batch();
    void forget_address(const DatagramAddress &address, PeerId peer);
    void build_messages(const DatagramAddress &to);
    void handle_send_error(int error);
    void wait_writable();
    void arm_timer();
    void post_turn();
    void count_drops();
    void publish_refusals();

    LinkResources resources_;
    const config::LinkOptions &link_;
    PortUser &user_;
    LtpRandom random_;
    Engine engine_;
    boost::asio::ip::udp::socket socket_;
    MonotonicTimer timer_;
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
    std::size_t messages_at_once_ = kMostMessages;  ///< that one read asks for
    PeerId last_served_{};                          ///< whose turn to send was the last one

    TimePoint armed_ = kNever;
    std::uint32_t dropped_before_ = 0;
    /// Asks handlers that still run whether this object is there.
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    bool crowded_ = false;  ///< several engines have one address: who sends is told by segments
    bool offload_ = false;
    bool waiting_readable_ = false;
    bool blocked_ = false;  ///< the kernel has no room; the batch waits
    bool pumping_ = false;
    bool pump_again_ = false;
    bool turn_posted_ = false;
};

}  // namespace farlink::cla::ltp
