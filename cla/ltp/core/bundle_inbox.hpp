// SPDX-License-Identifier: Apache-2.0
// Cuts received blocks into bundles, and turns the dispositions of bundles into those of blocks.
// Owned by a link, one for each peer that sends bundles; one thread.
// A block holds one bundle or several: one after the other (client service 1), or each after its
// own client service id (service data aggregation, client service 2).
#pragma once

#include <cstdint>

#include "cla/ltp/core/engine.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/transfer_disposition.hpp"

namespace farlink::cla::ltp {

class BundleInbox {
public:
    /// Appends the block's bundles to `out`, and sets first_transfer if `out` is empty. Octets
    /// without the end of a bundle count as one bundle up to the end of the block. Returns the
    /// number of bundles; 0: the block cannot be cut, and is to be refused.
    std::size_t take(const ReceivedBlock &block, ReceivedBundles &out);
    /// The disposition of `count` bundles from number `first` on, once for each. Calls
    /// `acknowledged(session, safe)` for each block with a disposition for all of its bundles; a
    /// block is not safe when one of its bundles found no room.
    template <class Acknowledged>
    void acknowledge(std::uint64_t first, std::uint32_t count, TransferDisposition disposition,
                     Acknowledged &&acknowledged) {
        const std::uint64_t end = first + count;
        for (std::size_t at = locate(first); at < open_.size() && open_[at].first < end; ++at) {
            Open &block = open_[at];
            const std::uint64_t begin = std::max(first, block.first);
            block.left -= static_cast<std::uint32_t>(std::min(end, block.end()) - begin);
            block.refused = block.refused || disposition == TransferDisposition::kNoResources;
            if (block.left == 0) acknowledged(block.session, !block.refused);
        }
        while (!open_.empty() && open_.front().left == 0)
            unacknowledged_bytes_ -= open_.pop_front().bytes;
    }
    /// Blocks of several bundles whose end could not be cut.
    [[nodiscard]] std::uint64_t broken_aggregates() const { return broken_aggregates_; }
    [[nodiscard]] std::uint64_t next_transfer() const { return next_transfer_; }
    /// Octets of unacknowledged blocks, and of those between them.
    [[nodiscard]] std::uint64_t unacknowledged_bytes() const { return unacknowledged_bytes_; }
    /// Drops all blocks; numbers start at 0 again.
    void reset() {
        open_.clear();
        next_transfer_ = unacknowledged_bytes_ = 0;
    }

private:
    /// A block with bundles that are not acknowledged.
    struct Open {
        SessionHandle session;
        std::uint64_t first = 0;
        std::uint32_t count = 0;
        std::uint32_t left = 0;
        bool refused = false;
        std::uint64_t bytes = 0;
        [[nodiscard]] std::uint64_t end() const { return first + count; }
    };

    [[nodiscard]] std::size_t locate(std::uint64_t transfer) const;
    void append_bundle(const ReceivedBlock &block, std::uint64_t begin, std::uint64_t end,
                       ReceivedBundles &out);

    Ring<Open> open_;
    std::uint64_t next_transfer_ = 0;
    std::uint64_t broken_aggregates_ = 0;
    std::uint64_t unacknowledged_bytes_ = 0;
};

}  // namespace farlink::cla::ltp
