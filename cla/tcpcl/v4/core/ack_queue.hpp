// SPDX-License-Identifier: Apache-2.0
// The final answers to the transfers of a peer: given in the order of the transfers, and an
// acknowledgement only when the host has reported the bundle as safe (RFC 9174 section 5.2.3).
// Owned by one session's receiver; one thread.
//
// Delivered bundles have numbers without gaps, so that a disposition may cover ranges of them. What
// is refused without being delivered waits aside, for the bundles that came before it.
#pragma once

#include <cstdint>

#include "cla/api/link.hpp"
#include "cla/tcpcl/shared/unacknowledged_bytes.hpp"
#include "cla/tcpcl/v4/core/wire_out.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::cla::tcpclv4 {

class AckQueue {
public:
    explicit AckQueue(WireOut &out) : out_(out) {}

    /// The transfer is complete and goes to the host under next_number(). `ack_flags` are those of
    /// its last segment. A bundle in pieces does not count in unacknowledged_bytes() by its size,
    /// only by its overhead: storage takes its pieces while it arrives.
    void handle_delivered(std::uint64_t id, std::uint64_t bytes, std::uint8_t ack_flags,
                          bool in_pieces = false) {
        delivered_.push_back({id, bytes, ack_flags, State::kWaiting, in_pieces});
        unacknowledged_.add(in_pieces ? 0 : bytes);
    }
    /// The transfer is complete without a bundle in it.
    void handle_empty(std::uint64_t id, std::uint8_t ack_flags);
    /// The transfer is not taken, for a reason of the layer.
    void handle_refused(std::uint64_t id, Refusal reason);
    /// One more segment of the transfer refused last has come (RFC 9174 section 5.2.4).
    void handle_refused_again();
    /// The host's disposition of `count` bundles from number `first` on. Queues the answers that
    /// may leave.
    void handle_disposition(std::uint64_t first, std::uint32_t count,
                            TransferDisposition disposition);

    [[nodiscard]] std::uint64_t next_number() const { return first_number_ + delivered_.size(); }
    /// Of delivered bundles, with what the host needs for each.
    [[nodiscard]] std::uint64_t unacknowledged_bytes() const { return unacknowledged_.total(); }
    /// Every transfer has its final answer.
    [[nodiscard]] bool all_acknowledged() const { return delivered_.empty() && asides_.empty(); }
    /// The peer goes on with transfers that are refused while older ones wait for their answer.
    [[nodiscard]] bool overfull() const { return aside_transfers_ > kMaxAside; }

    /// What a small bundle costs the host beside its octets, bytes.
    static constexpr std::uint64_t kOverheadBytes = 100;
    static constexpr std::uint64_t kMaxAside = 1024 * 1024;

private:
    enum class State : std::uint8_t { kWaiting, kSafe, kNoResources, kNotAcceptable };
    struct Delivered {
        std::uint64_t id = 0;
        std::uint64_t bytes = 0;
        std::uint8_t ack_flags = 0;
        State state = State::kWaiting;
        bool in_pieces = false;
    };
    /// Consecutive transfers without a bundle for the host.
    struct Aside {
        std::uint64_t before = 0;  ///< number of the bundle that is answered behind them
        std::uint64_t first_id = 0;
        std::uint64_t count = 0;
        bool refused = false;
        std::uint8_t code = 0;  ///< the reason, or the flags of the acknowledgement
    };

    void put_aside(std::uint64_t id, bool refused, std::uint8_t code);
    void answer();
    void answer_delivered(std::uint64_t limit);
    void answer_aside(const Aside &aside);

    WireOut &out_;
    Ring<Delivered> delivered_;  ///< not answered, by number
    Ring<Aside> asides_;
    std::uint64_t first_number_ = 0;  ///< of delivered_.front()
    tcpcl::UnacknowledgedBytes<kOverheadBytes> unacknowledged_;
    std::uint64_t aside_transfers_ = 0;
    Refuse last_refused_;
};

}  // namespace farlink::cla::tcpclv4
