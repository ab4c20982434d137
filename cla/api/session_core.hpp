// SPDX-License-Identifier: Apache-2.0
// The protocol of one connection without the connection: octets and commands in, octets and events
// out. Every connection-oriented layer with sessions of its own (TCPCLv3, TCPCLv4) implements it,
// and one driver (cla/host) runs them all over TCP and TLS.
// Owned by one connection and used on its thread; no socket, clock, log or random device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "cla/api/link.hpp"
#include "common/base/time.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/tx_queue.hpp"

namespace farlink::cla {

/// The side that opened the TCP connection is active (RFC 9174 section 3.1).
enum class SessionRole : std::uint8_t { kActive, kPassive };

enum class TlsPolicy : std::uint8_t { kNone = 0, kOptional = 1, kRequired = 2 };

/// What a session offers and allows. Bytes, where no other unit is named.
struct SessionConfig {
    SessionRole role = SessionRole::kPassive;
    std::string node_id;  ///< announced to the peer: "ipn:10.0"
    TlsPolicy tls = TlsPolicy::kNone;
    Duration keep_alive{};           ///< proposed; whole seconds; 0: none
    std::uint64_t segment_mru = 0;   ///< largest segment taken (RFC 9174 section 4.6)
    std::uint64_t transfer_mru = 0;  ///< largest bundle taken
    std::uint64_t max_segment = 0;   ///< largest segment sent, whatever the peer would take
    std::uint64_t max_unacknowledged =
        0;  ///< bundles taken without a disposition, while the host is paused
    std::uint64_t max_unsent = 0;     ///< queued for the connection: what transmit_credit() leaves
    std::uint32_t max_transfers = 0;  ///< sent and not acknowledged
    Duration handshake_limit{};       ///< from the TCP connection to the session
    Duration termination_limit{};     ///< from SESS_TERM to the end
    Duration acknowledge_limit{};     ///< without any progress of sent bundles; 0: none
    Duration transfer_limit{};        ///< without an octet of a bundle that has begun; 0: none
    /// The session ends where a bundle would be refused for lack of memory.
    bool disconnect_without_room = false;
    /// max_unacknowledged holds at any time, not only while paused: the host keeps bundles without
    /// an answer while it has no room for them.
    bool always_limited = false;
    bool strict = false;  ///< deviations that are tolerated otherwise end the session
};

/// Something that the driver must do or report to its host; in the order in which it happened.
struct SessionEvent {
    enum class Kind : std::uint8_t {
        kStartTls,        ///< when the queue is written: handshake, then handle_secured()
        kPeerAnnounced,   ///< peer_node_id() is known: check it, then handle_identity()
        kEstablished,     ///< bundles may go both ways
        kTransmitted,     ///< every bundle below `token` has been acknowledged (or refused)
        kRefused,         ///< the bundle `token`, for `refusal`
        kBundlesRefused,  ///< `token` bundles of the peer, for lack of memory
        kWritable,        ///< transmit_credit() is above 0 again
        kDeparture,
        kEnded,  ///< when the queue is written: close the connection, because of `fault`
    };
    Kind kind = Kind::kEnded;
    std::uint64_t token = 0;
    Refusal refusal = Refusal::kUnknown;
    ProtocolDeviation deviation = ProtocolDeviation::kAckFlagsDiffer;
    LinkFault fault = LinkFault::kNone;  ///< kEnded; kNone: an orderly end that this side began
    Duration reconnection_delay{};       ///< kEnded: how long the peer is to be left alone
};

class SessionCore {
public:
    virtual ~SessionCore() = default;

    // ---- the connection
    /// TCP is connected.
    virtual void handle_connected(TimePoint now) = 0;
    /// Answers kStartTls: everything from here on is protected.
    virtual void handle_secured(TimePoint now) = 0;
    /// Answers kPeerAnnounced: whether the peer is accepted as the node that it announces.
    virtual void handle_identity(bool accepted, TimePoint now) = 0;
    /// The peer has ended its direction of the connection.
    virtual void handle_peer_closed(TimePoint now) = 0;

    // ---- octets in
    /// Where to read next. Without slabs the session reads on into memory of its own and refuses
    /// bundles, for acknowledgements must get through. Empty only in the middle of a bundle that is
    /// delivered in pieces: then there is a timeout, and wants_read() is false until it has passed.
    [[nodiscard]] virtual MutableBytes prepare(ReadBuffer &buffer) = 0;
    /// `size` octets were read into prepare()'s space; appends whole bundles to `out`, and pieces
    /// of those above ReadBuffer::spool_above().
    virtual void handle_bytes(std::size_t size, ReadBuffer &buffer, ReceivedBundles &out,
                              TimePoint now) = 0;
    /// False while the session takes no octets: the window of the peer closes.
    [[nodiscard]] virtual bool wants_read() const = 0;
    [[nodiscard]] virtual bool inside_bundle() const = 0;
    /// The beginning of a message is here, and not all of it.
    [[nodiscard]] virtual bool inside_message() const { return inside_bundle(); }
    /// Of the bundle that is arriving, what is here.
    [[nodiscard]] virtual std::uint64_t unfinished_bytes() const = 0;
    /// See BundleAssembly::compact().
    [[nodiscard]] virtual bool compact(SlabPool &pool) = 0;

    // ---- commands of the host
    virtual void handle_send(std::span<const TxBundle> bundles, TimePoint now) = 0;
    virtual void handle_disposition(std::uint64_t first, std::uint32_t count,
                                    TransferDisposition disposition, TimePoint now) = 0;
    virtual void handle_pause(bool paused) = 0;
    /// Ends the session as the layer provides: what has begun is finished, in both directions. The
    /// message names `why` where the layer has a reason code for it.
    virtual void handle_terminate(LinkFault why, TimePoint now) = 0;
    [[nodiscard]] virtual std::uint64_t transmit_credit() const = 0;
    /// Further pieces of the bundle sent last are to come.
    [[nodiscard]] virtual bool awaits_pieces() const { return false; }
    /// Whether bundles are acknowledged, and so need a disposition; known once established.
    [[nodiscard]] virtual bool acknowledges() const { return true; }
    /// Largest bundle that the peer takes; known once established.
    [[nodiscard]] virtual std::uint64_t max_bundle_bytes() const = 0;

    // ---- octets out
    /// What is to be written. The driver calls queue().written() and then handle_written().
    [[nodiscard]] virtual TxQueue &queue() = 0;
    virtual void handle_written(TimePoint now) = 0;

    // ---- time
    [[nodiscard]] virtual TimePoint next_timeout() const = 0;
    virtual void handle_timeout(TimePoint now) = 0;

    [[nodiscard]] virtual std::optional<SessionEvent> poll_event() = 0;
    /// As announced; empty before kPeerAnnounced.
    [[nodiscard]] virtual const std::string &peer_node_id() const = 0;
};

}  // namespace farlink::cla
