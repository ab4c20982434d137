// SPDX-License-Identifier: Apache-2.0
// Sending side of STCP and MTCP: frames bundles into a stream and tracks which the peer has.
// Owned by one link; one thread. Neither has acknowledgements of its own: a bundle counts as handed
// over when the peer's kernel has acknowledged its last octet; so does a piece of one.
#pragma once

#include <cstdint>
#include <span>

#include "cla/stcp/core/framing.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"
#include "common/buffer/tx_queue.hpp"

namespace farlink::cla::stcp {

class StcpSender {
public:
    explicit StcpSender(Framing framing = Framing::kStcp) : framing_(framing) {}

    /// A new connection: nothing is queued, the stream starts at offset 0.
    void restart();

    void handle_send(std::span<const TxBundle> bundles);
    /// A frame of length zero, unless octets are queued, which keep the connection alive as well,
    /// or a bundle has begun whose further pieces are to come.
    void handle_keep_alive_due();
    /// The kernel has taken `size` octets.
    void handle_written(std::uint64_t size) { queue_.written(size); }
    /// The peer's kernel has acknowledged the stream up to `offset`; returns the token below which
    /// every bundle is handed over.
    std::uint64_t handle_acknowledged(std::uint64_t offset);
    /// Forgets the bundles that are not begun; what is left is to be written before the end.
    void finish();

    [[nodiscard]] TxQueue &queue() { return queue_; }
    [[nodiscard]] std::uint64_t pending() const { return queue_.pending(); }
    /// Octets of the stream written and not yet acknowledged.
    [[nodiscard]] bool all_acknowledged() const { return acknowledged_ == queue_.queued_offset(); }
    [[nodiscard]] std::uint64_t safe_token() const { return safe_token_; }
    /// Further pieces of the last bundle are to come: no other frame may begin.
    [[nodiscard]] bool inside_bundle() const { return left_ > 0; }

private:
    /// Up to this size a body is copied next to its head: one entry to the kernel costs more.
    static constexpr std::size_t kCopyBytes = 2048;

    /// A frame: a bundle's or the part of one with a piece of it, or a keepalive.
    struct Mark {
        std::uint64_t begin = 0;       ///< of the frame; stream offsets
        std::uint64_t end = 0;         ///< of this part of it
        std::uint64_t safe_below = 0;  ///< acknowledged up to `end`: bundles below this token
    };

    void queue_head(std::uint64_t length);
    void frame_small(const TxBundle &bundle);
    void frame_large(const TxBundle &bundle);

    Framing framing_;
    TxQueue queue_;
    Ring<Mark> marks_;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t safe_token_ = 0;
    std::uint64_t frame_begin_ = 0;  ///< of the last bundle's frame
    std::uint64_t left_ = 0;         ///< octets of the last bundle that come in further pieces
};

}  // namespace farlink::cla::stcp
