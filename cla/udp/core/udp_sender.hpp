// SPDX-License-Identifier: Apache-2.0
// Sending side of UDP: one bundle a datagram (RFC 7122 section 3.2), grouped for the kernel.
// Owned by one outduct; one thread. Neighbours of equal size leave as one message that the kernel
// or the network card cuts into datagrams (segmentation offload).
// UDP acknowledges nothing: a bundle counts as handed over when the kernel has taken it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"
#include "common/buffer/tx_queue.hpp"

namespace farlink::cla::udp {

/// For one message of sendmmsg().
struct OutMessage {
    std::span<iovec> pieces;
    std::uint32_t bytes = 0;
    std::uint32_t datagrams = 0;
    std::uint32_t segment_size = 0;  ///< of every datagram but the last, which may be smaller
};

class UdpSender {
public:
    static constexpr std::size_t kMaxMessages = 64;
    /// Linux's limit for one message, in every version that has segmentation offload.
    static constexpr std::size_t kMaxSegments = 64;
    /// The largest message, cut or not, that fits an IPv4 packet.
    static constexpr std::uint32_t kMaxMessageBytes = 65'507;

    /// Forgets what is queued; bundles above `max_datagram_bytes` are refused from now on.
    void restart(std::uint64_t max_datagram_bytes);
    /// Datagrams of up to `max_segment_bytes` may be grouped; 0: none. A larger one would be
    /// fragmented by IP, which the kernel does not do with what it cuts.
    void set_offload(std::uint64_t max_segment_bytes) { max_segment_bytes_ = max_segment_bytes; }

    void handle_send(std::span<const TxBundle> bundles);
    /// What to write next; at most `max_datagrams`. Valid until the next call of any method.
    [[nodiscard]] std::span<const OutMessage> poll_messages(std::size_t max_datagrams);
    /// The kernel has taken the first `count` messages of the last poll_messages().
    void handle_sent(std::size_t count);
    /// The kernel finds the first datagram too large.
    void handle_too_large();
    /// The token of a bundle that was refused for its size.
    [[nodiscard]] std::optional<std::uint64_t> poll_refusal();

    /// Every bundle below this token has been handed over or refused.
    [[nodiscard]] std::uint64_t done_below() const { return done_below_; }
    [[nodiscard]] std::uint64_t pending() const { return queue_.pending(); }
    [[nodiscard]] std::uint64_t datagrams_sent() const { return datagrams_sent_; }
    [[nodiscard]] std::uint64_t messages_sent() const { return messages_sent_; }
    [[nodiscard]] std::uint64_t refused() const { return refused_count_; }

private:
    /// Up to this size a body is copied next to its head: one entry to the kernel costs more.
    static constexpr std::size_t kCopyBytes = 2048;
    /// A bundle of more pieces is copied.
    static constexpr std::size_t kMaxPieces = 8;
    static constexpr std::size_t kMaxEntries = 1024;  ///< of one message: UIO_MAXIOV
    static_assert(kMaxSegments * (kMaxPieces + 2) <= kMaxEntries);

    struct Datagram {
        std::uint32_t size = 0;
        std::uint64_t token = 0;
        std::uint64_t done_below = 0;  ///< once sent: bundles below this token are done
    };

    void queue(const TxBundle &bundle);
    void refuse(std::uint64_t token);
    [[nodiscard]] OutMessage group(std::size_t first, std::size_t most) const;

    TxQueue queue_;
    Ring<Datagram> datagrams_;
    Ring<std::uint64_t> refused_;
    std::uint64_t max_datagram_bytes_ = kMaxMessageBytes;
    std::uint64_t max_segment_bytes_ = 0;
    std::uint64_t done_below_ = 0;
    std::uint64_t datagrams_sent_ = 0;
    std::uint64_t messages_sent_ = 0;
    std::uint64_t refused_count_ = 0;
    std::array<iovec, kMaxEntries> entries_{};
    std::array<iovec, kMaxEntries + kMaxMessages> pieces_{};
    std::array<OutMessage, kMaxMessages> messages_{};
};

}  // namespace farlink::cla::udp
