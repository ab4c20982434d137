// SPDX-License-Identifier: Apache-2.0
// Receiving side of TCPCLv3: from DATA_SEGMENT and LENGTH messages to whole bundles, and which of
// them are refused (RFC 7242 sections 5.2, 5.4 and 5.5).
// Owned by one session's core; one thread.
// Whole bundles are slices of the octets that were read; one too large for memory is delivered in
// pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cla/tcpcl/v3/core/ack_queue.hpp"
#include "cla/tcpcl/v3/core/events.hpp"
#include "cla/tcpcl/v3/core/message.hpp"
#include "common/buffer/bundle_assembly.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/received_bundles.hpp"

namespace farlink::cla::tcpclv3 {

/// One read: where its octets lie and where whole bundles go.
struct Reading {
    const SlabRef *slab;  ///< null: there was no memory, the octets may not be kept
    ReadBuffer &buffer;
    ReceivedBundles &out;
};

///                start            end, or the session ends
///   ┌───────┐ ─────────► ┌───────┐ ─────► delivered, back to kNone
///   │ kNone │            │ kOpen │
///   └───────┘ ◄───┐      └───┬───┘
///       │ no room │ end      │ no room
///       ▼         │          │
///   ┌──────────┐ ─┘          │
///   │ kRefused │ ◄───────────┘
///   └──────────┘ start: the peer has given this bundle up, the next one begins
class Receiver {
public:
    Receiver(const SessionConfig &config, UpstreamId session, AckQueue &ack_queue, Events &events)
        : transfer_mru_(config.transfer_mru),
          max_unacknowledged_(config.max_unacknowledged),
          always_limited_(config.always_limited),
          session_(session),
          ack_queue_(ack_queue),
          events_(events) {}

    /// The message at the front of `rest`, a DATA_SEGMENT with this head. Sets `used` to the octets
    /// that are done with; 0 when the message is worth waiting for as a whole.
    [[nodiscard]] LinkFault handle_segment(const MessageHead &head, ByteView rest,
                                           const Reading &reading, std::size_t &used);
    /// Octets that continue a segment which had begun before; returns how many of them do.
    [[nodiscard]] LinkFault handle_more(ByteView rest, const Reading &reading, std::size_t &used);
    [[nodiscard]] LinkFault handle_length(std::uint64_t length);

    void handle_pause(bool paused) { paused_ = paused; }
    /// The session comes to its end: bundles that begin from now on are refused where that can be.
    void close() { closing_ = true; }
    /// Releases the memory of an incomplete bundle.
    void forget();
    [[nodiscard]] bool compact(SlabPool &pool) { return assembly_.compact(pool); }

    /// In the middle of a segment: what comes next are bundle data, not a message.
    [[nodiscard]] bool inside_segment() const { return missing_ > 0; }
    /// In the middle of a bundle that may still be delivered.
    [[nodiscard]] bool inside_bundle() const { return state_ == State::kOpen; }
    /// In the middle of a bundle whose beginning has been delivered as a piece.
    [[nodiscard]] bool spools() const { return inside_bundle() && spooled_; }
    [[nodiscard]] std::uint64_t unfinished_bytes() const { return assembly_.size(); }
    /// The session to name to the ReadBuffer: only a bundle in the making must be finished.
    [[nodiscard]] UpstreamId finishing() const { return inside_bundle() ? session_ : kNoUpstream; }
    /// Bundles delivered so far: the number of the next one.
    [[nodiscard]] std::uint64_t delivered() const { return delivered_; }
    /// Bundles that were refused for lack of memory since the last call.
    [[nodiscard]] std::uint64_t take_refused() { return std::exchange(refused_, 0); }

private:
    enum class State : std::uint8_t { kNone, kOpen, kRefused };

    void transition(State to);
    [[nodiscard]] LinkFault check_order(const MessageHead &head) const;
    [[nodiscard]] LinkFault reason_to_refuse(const MessageHead &head, const Reading &reading) const;
    [[nodiscard]] const std::optional<std::uint64_t> &length_of(const MessageHead &head) const;
    [[nodiscard]] std::uint64_t received_before(const MessageHead &head) const;
    void begin_segment(const MessageHead &head);
    void take(ByteView octets, const Reading &reading);
    [[nodiscard]] LinkFault end_segment(const Reading &reading);
    [[nodiscard]] LinkFault deliver_empty();
    void deliver_whole(ByteView bundle, const Reading &reading);
    void refuse_bundle(LinkFault reason, const Reading &reading);

    std::uint64_t transfer_mru_;
    std::uint64_t max_unacknowledged_;
    bool always_limited_;
    UpstreamId session_;
    AckQueue &ack_queue_;
    Events &events_;
    State state_ = State::kNone;
    bool paused_ = false;
    bool closing_ = false;
    bool spooled_ = false;                    ///< the bundle is delivered in pieces
    bool last_segment_ = false;               ///< the segment in hand ends its bundle
    std::uint64_t missing_ = 0;               ///< octets of the segment in hand still to come
    std::uint64_t received_ = 0;              ///< octets of the bundle's segments so far
    std::optional<std::uint64_t> length_;     ///< of the bundle, from its LENGTH message
    std::optional<std::uint64_t> announced_;  ///< of the bundle that begins next
    std::uint64_t delivered_ = 0;
    std::uint64_t refused_ = 0;  ///< for lack of memory, not reported
    BundleAssembly assembly_;
};

}  // namespace farlink::cla::tcpclv3
