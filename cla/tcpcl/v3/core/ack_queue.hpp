// SPDX-License-Identifier: Apache-2.0
// The answers to the peer's segments: one for each, in their order (RFC 7242 sections 5.3, 5.4).
// Owned by one session's core; one thread.
// The answer to a bundle's last segment waits for the host's disposition, and everything behind it
// waits too: answers carry no number, so their order assigns them.
#pragma once

#include <cstdint>

#include "cla/api/link.hpp"
#include "cla/tcpcl/shared/unacknowledged_bytes.hpp"
#include "cla/tcpcl/v3/core/contact.hpp"
#include "cla/tcpcl/v3/core/message.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_queue.hpp"

namespace farlink::cla::tcpclv3 {

class AckQueue {
public:
    explicit AckQueue(TxQueue &queue) : queue_(queue) {}

    /// Before the first segment. Without acknowledgements no answer is ever given or awaited.
    void agree(const SessionTerms &terms) { terms_ = terms; }
    [[nodiscard]] bool can_refuse() const { return terms_.refusal; }
    [[nodiscard]] bool awaits_disposition() const { return terms_.acknowledgements; }

    /// A segment is here; `length` octets of its bundle are. Goes out as soon as order allows.
    void acknowledge(std::uint64_t length);
    /// Answers a segment with a refusal of its bundle; only when that was agreed on.
    void handle_refused(RefusalCode code);
    /// The last segment of a bundle that goes to the host is here: its answer waits for
    /// handle_disposition(). A bundle in pieces does not count in unacknowledged_bytes() by its
    /// size, only by its overhead: storage takes its pieces while it arrives.
    void handle_delivered(std::uint64_t length, bool in_pieces = false);
    /// What the host did with `count` delivered bundles from number `first` on; the first one has
    /// number 0. False: the bundles would have to be refused, and the session has no message for
    /// it.
    [[nodiscard]] bool handle_disposition(std::uint64_t first, std::uint32_t count,
                                          TransferDisposition disposition);

    /// Of delivered bundles, with what the host needs for each.
    [[nodiscard]] std::uint64_t unacknowledged_bytes() const { return unacknowledged_.total(); }
    [[nodiscard]] bool all_acknowledged() const { return held_.empty(); }
    /// So many answers wait in line that no more segments should be taken.
    [[nodiscard]] bool overfull() const { return ready_.size() >= kMaxReady; }
    /// What a bundle of `length` octets adds to unacknowledged_bytes().
    [[nodiscard]] static constexpr std::uint64_t cost(std::uint64_t length) {
        return Unacknowledged::cost(length);
    }

private:
    /// What a small bundle costs the host beside its octets, bytes.
    static constexpr std::uint64_t kOverheadBytes = 64;
    using Unacknowledged = tcpcl::UnacknowledgedBytes<kOverheadBytes>;
    static constexpr std::size_t kMaxReady = 32 * 1024;

    enum class Verdict : std::uint8_t { kNone, kAcknowledge, kRefuse };

    struct Held {
        std::uint64_t length = 0;
        std::uint32_t ready_before = 0;  ///< answers of ready_ between the bundle before and it
        Verdict verdict = Verdict::kNone;
        RefusalCode code = RefusalCode::kUnknown;
        bool in_pieces = false;
    };
    struct Ready {
        std::uint64_t length = 0;
        Verdict verdict = Verdict::kAcknowledge;
        RefusalCode code = RefusalCode::kUnknown;
    };

    void line_up(const Ready &answer);
    void write(const Ready &answer);
    void write_ready(std::uint32_t count);
    void write_acknowledged();

    TxQueue &queue_;
    SessionTerms terms_;
    Ring<Held> held_;    ///< the front one has nothing of ready_ before it
    Ring<Ready> ready_;  ///< known answers, each behind a held one
    std::uint64_t first_held_ = 0;
    std::uint32_t ready_last_ = 0;  ///< answers of ready_ behind the last held one
    Unacknowledged unacknowledged_;
};

}  // namespace farlink::cla::tcpclv3
