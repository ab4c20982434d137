// SPDX-License-Identifier: Apache-2.0
// What the peer is owed for its segments: one answer for each, in their order (RFC 7242 sections
// 5.3 and 5.4).
// Owned by one session's core; one thread.
// The answer to a bundle's last segment waits until the host has settled the bundle, and then
// everything behind it waits too: answers carry no number, their order is what they mean.
#pragma once

#include <cstdint>

#include "cla/api/link.hpp"
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
    void refuse(RefusalCode code);
    /// The last segment of a bundle that goes to the host is here: its answer waits for settle().
    void hold(std::uint64_t length);
    /// The host's word on bundles that were held, which are numbered from 0. False: the peer would
    /// have to be told no, and the session has no message for that.
    [[nodiscard]] bool acknowledge(std::uint64_t first, std::uint32_t count,
                                   TransferDisposition disposition);

    /// Bundles that wait for their settlement: their octets, and what it costs to know of them.
    [[nodiscard]] std::uint64_t unacknowledged_bytes() const { return unacknowledged_bytes_; }
    [[nodiscard]] bool all_acknowledged() const { return held_.empty(); }
    /// So many answers wait in line that no more segments should be taken.
    [[nodiscard]] bool crowded() const { return ready_.size() >= kMaxReady; }
    /// What a bundle of `length` octets adds to unacknowledged_bytes().
    [[nodiscard]] static constexpr std::uint64_t cost(std::uint64_t length) {
        return length + kBookkeepingBytes;
    }

private:
    static constexpr std::uint64_t kBookkeepingBytes = 64;
    static constexpr std::size_t kMaxReady = 32 * 1024;

    enum class Verdict : std::uint8_t { kNone, kAcknowledge, kRefuse };

    struct Held {
        std::uint64_t length = 0;
        std::uint32_t ready_before = 0;  ///< answers of ready_ between the bundle before and it
        Verdict verdict = Verdict::kNone;
        RefusalCode code = RefusalCode::kUnknown;
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
    std::uint64_t unacknowledged_bytes_ = 0;
};

}  // namespace farlink::cla::tcpclv3
