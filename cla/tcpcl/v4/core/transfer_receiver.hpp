// SPDX-License-Identifier: Apache-2.0
// Receiving half of a session: segments in, whole bundles out, answers to the peer.
// Owned by one session; one thread.
// A bundle stays where it was read; one that came in one segment and one read costs one entry in
// the list of bundles and one answer that waits. One too large for memory is delivered in pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cla/tcpcl/v4/core/ack_queue.hpp"
#include "cla/tcpcl/v4/core/deviations.hpp"
#include "cla/tcpcl/v4/core/parsed.hpp"
#include "common/buffer/bundle_assembly.hpp"

namespace farlink::cla::tcpclv4 {

/// Bytes; see SessionConfig.
struct ReceiveLimits {
    std::uint64_t segment_mru = 0;
    std::uint64_t transfer_mru = 0;
    std::uint64_t max_unacknowledged = 0;
    bool disconnect_without_room = false;
    bool always_limited = false;
};

/// Where the stream of transfers is (RFC 9174 section 5.2.2):
///
///                ┌─────── END taken ───────┐
///                ▼                         │
///     ┌──────────────────┐  START    ┌─────┴─────┐
///     │ kBetween         ├──────────►│ kTaking   │
///     └──────────────────┘           └─────┬─────┘
///        ▲      │ START, not taken         │ refused
///        │ END  ▼                          ▼
///     ┌──┴───────────────────────────────────────┐
///     │ kSkipping: the rest of a refused transfer ├─── START: as from kBetween
///     └──────────────────────────────────────────┘
class TransferReceiver {
public:
    TransferReceiver(const ReceiveLimits &limits, WireOut &out, ProtocolDeviations &deviations)
        : limits_(limits), out_(out), deviations_(deviations), ack_queue_(out) {}

    /// Bundles above this many octets are delivered in pieces (ReadBuffer::spool_above()).
    void spool_above(std::uint64_t bytes) { spool_above_ = bytes; }
    /// Takes what `fresh` begins with of a segment whose head has been taken before. `slab` holds
    /// the octets; an empty reference: they go away after the call.
    void continue_segment(ByteView &fresh, const SlabRef &slab, ReceivedBundles &received);
    /// Takes the XFER_SEGMENT messages at the front of `fresh`.
    [[nodiscard]] Parsed handle_segments(ByteView &fresh, const SlabRef &slab,
                                         ReceivedBundles &received);
    void handle_disposition(std::uint64_t first, std::uint32_t count,
                            TransferDisposition disposition) {
        ack_queue_.handle_disposition(first, count, disposition);
    }
    /// While paused, or always_limited, bundles beyond max_unacknowledged are refused.
    void handle_pause(bool paused) { paused_ = paused; }
    /// A bundle has no room, and the session ends instead of refusing it.
    [[nodiscard]] bool must_disconnect() const { return must_disconnect_; }
    /// Bundles that were refused for lack of memory since the last call.
    [[nodiscard]] std::uint64_t take_refused() { return std::exchange(refused_, 0); }
    /// SESS_TERM has been sent: no transfer may begin (RFC 9174 section 6.1).
    void handle_ending() { ending_ = true; }
    /// See BundleAssembly::compact().
    [[nodiscard]] bool compact(SlabPool &pool) { return assembly_.compact(pool); }
    /// The session has ended: lets go of the memory.
    void forget();

    /// Octets of the segment begun that are still to come.
    [[nodiscard]] std::uint64_t missing() const { return missing_; }
    [[nodiscard]] bool inside_bundle() const { return state_ == State::kTaking; }
    /// In the middle of a bundle whose beginning has been delivered as a piece.
    [[nodiscard]] bool spools() const { return inside_bundle() && spooled_; }
    [[nodiscard]] std::uint64_t unfinished_bytes() const { return assembly_.size(); }
    /// Transfers begun so far.
    [[nodiscard]] std::uint64_t begun() const { return begun_; }
    [[nodiscard]] bool idle() const {
        return state_ != State::kTaking && ack_queue_.all_acknowledged();
    }
    [[nodiscard]] const AckQueue &ack_queue() const { return ack_queue_; }

private:
    enum class State : std::uint8_t { kBetween, kTaking, kSkipping };

    void transition(State to);
    [[nodiscard]] bool begin_segment(const Segment &segment, bool has_memory,
                                     ReceivedBundles &received);
    [[nodiscard]] bool begin_transfer(const Segment &segment, ReceivedBundles &received);
    [[nodiscard]] std::optional<Refusal> read_items(const Segment &segment);
    [[nodiscard]] std::optional<Refusal> refusal_at_start(const Segment &segment);
    [[nodiscard]] bool exceeds_unacknowledged(const Segment &segment) const;
    [[nodiscard]] std::optional<Refusal> refusal_of(const Segment &segment) const;
    void refuse(Refusal reason, ReceivedBundles &received);
    void finish_segment();
    [[nodiscard]] bool reject(RejectReason reason);

    ReceiveLimits limits_;
    WireOut &out_;
    ProtocolDeviations &deviations_;
    AckQueue ack_queue_;
    BundleAssembly assembly_;
    std::uint64_t spool_above_ = ~std::uint64_t{0};

    State state_ = State::kBetween;
    bool paused_ = false;
    bool must_disconnect_ = false;
    bool ending_ = false;
    bool spooled_ = false;       ///< the bundle is delivered in pieces
    bool stray_ = false;         ///< the segment begun belongs to no transfer
    Segment segment_;            ///< begun; its items are not valid any more
    std::uint64_t missing_ = 0;  ///< of its data
    std::uint64_t begun_ = 0;
    std::uint64_t refused_ = 0;               ///< for lack of memory, not reported
    std::uint64_t transfer_id_ = 0;           ///< kTaking, kSkipping
    std::uint64_t taken_ = 0;                 ///< of the transfer's data, whole segments
    std::optional<std::uint64_t> announced_;  ///< Transfer Length
};

}  // namespace farlink::cla::tcpclv4
