// SPDX-License-Identifier: Apache-2.0
// Cuts received blocks into bundles, and turns the dispositions of bundles into those of blocks.
// Owned by a link, one for each peer that sends bundles; one thread.
// A block holds one bundle or several: one after the other (client service 1), or each after its
// own client service id (service data aggregation, client service 2). The last bundle of a large
// block leaves in pieces while it arrives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cla/ltp/core/engine.hpp"
#include "cla/ltp/core/waiting_blocks.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/transfer_disposition.hpp"

namespace farlink::cla::ltp {

class BundleInbox {
public:
    /// `most_bytes`: limit of the octets of a large block that stay here until its end.
    explicit BundleInbox(std::uint64_t most_bytes = ~std::uint64_t{0}) : most_bytes_(most_bytes) {}

    /// Appends the block's bundles to `out`, and sets first_transfer if `out` is empty. Octets
    /// without the end of a bundle count as one bundle up to the end of the block. Returns the
    /// number of bundles; 0: the block cannot be cut, and is to be refused.
    std::size_t take(const ReceivedBlock &block, ReceivedBundles &out);
    /// The same for a part of a large block; it may append nothing. False: the block is to be
    /// refused.
    [[nodiscard]] bool take_part(const ReceivedBlock &part, ReceivedBundles &out);
    /// The disposition of `count` bundles from number `first` on, once for each. Calls
    /// `acknowledged(session, safe)` for each block with a disposition for all of its bundles; a
    /// block is not safe when one of them found no room and none was taken. Once one is taken,
    /// those without room wait, since a block that is cancelled arrives again as a whole.
    template <class Acknowledged>
    void acknowledge(std::uint64_t first, std::uint32_t count, TransferDisposition disposition,
                     TimePoint now, Acknowledged &&acknowledged) {
        const std::uint64_t end = first + count;
        for (std::size_t at = locate(first); at < open_.size() && open_[at].first < end; ++at) {
            Open &block = open_[at];
            const std::uint64_t begin = std::max(first, block.first) - block.first;
            const std::uint64_t behind = std::min(end, block.end()) - block.first;
            block.left -= static_cast<std::uint32_t>(behind - begin);
            block.taken = block.taken || disposition == TransferDisposition::kSafe;
            if (disposition == TransferDisposition::kNoResources)
                refuse(block, static_cast<std::uint32_t>(begin),
                       static_cast<std::uint32_t>(behind));
            if (block.left > 0) continue;
            if (const auto safe = conclude(block, now)) acknowledged(block.session, *safe);
        }
        while (!open_.empty() && open_.front().left == 0)
            unacknowledged_bytes_ -= open_.pop_front().bytes;
    }
    /// Appends the bundles of a block that have waited long enough, as take() does.
    /// `is_open(session)`: its sender has not cancelled it; otherwise its bundles are dropped,
    /// since they arrive again. False: there are none.
    template <class IsOpen>
    [[nodiscard]] bool offer_again(TimePoint now, ReceivedBundles &out, IsOpen &&is_open) {
        while (auto block = waiting_.poll_due(now)) {
            if (is_open(block->session)) {
                take_again(std::move(block), out);
                return true;
            }
            unacknowledged_bytes_ -= block->size;
            waiting_.release(std::move(block));
        }
        return false;
    }
    /// When offer_again() has something to offer.
    [[nodiscard]] TimePoint next_offer() const { return waiting_.next_due(); }
    /// Blocks of several bundles whose end could not be cut.
    [[nodiscard]] std::uint64_t broken_aggregates() const { return broken_aggregates_; }
    [[nodiscard]] std::uint64_t next_transfer() const { return next_transfer_; }
    /// Octets of unacknowledged blocks, with those that wait, and of those between them.
    [[nodiscard]] std::uint64_t unacknowledged_bytes() const { return unacknowledged_bytes_; }
    /// No bundle is without a disposition, or waits to be offered again. One that has left in
    /// pieces has no octets in unacknowledged_bytes().
    [[nodiscard]] bool all_acknowledged() const { return open_.empty() && next_offer() == kNever; }
    /// Drops all blocks; numbers start at 0 again.
    void reset() {
        open_.clear();
        large_.clear();
        waiting_.clear();
        next_transfer_ = unacknowledged_bytes_ = 0;
    }

private:
    /// A block with bundles that are not acknowledged.
    struct Open {
        SessionHandle session;
        std::uint64_t first = 0;
        std::uint32_t count = 0;
        std::uint32_t left = 0;
        bool taken = false;    ///< one of the bundles was
        bool refused = false;  ///< one of them found no room
        std::uint64_t bytes = 0;
        std::unique_ptr<KeptBlock> kept;  ///< null: the block has one bundle
        [[nodiscard]] std::uint64_t end() const { return first + count; }
    };

    /// A large block that arrives.
    struct Large {
        SessionHandle session;
        std::uint32_t channel = 0;
        ReceivedBundles whole;  ///< bundles before the last one; they leave with its end
        std::uint64_t whole_bytes = 0;
        std::vector<ByteView> slices;  ///< of the last one, which have not left
        std::vector<SlabRef> slabs;    ///< under the slices
        std::uint64_t size = 0;        ///< octets of the slices
        bool begun = false;            ///< a piece of it has left
    };

    [[nodiscard]] std::size_t locate(std::uint64_t transfer) const;
    void add_open(SessionHandle session, std::uint32_t count, std::uint64_t bytes,
                  std::unique_ptr<KeptBlock> kept);
    static void refuse(Open &block, std::uint32_t begin, std::uint32_t end);
    [[nodiscard]] std::optional<bool> conclude(Open &block, TimePoint now);
    void take_again(std::unique_ptr<KeptBlock> block, ReceivedBundles &out);
    [[nodiscard]] std::unique_ptr<KeptBlock> keep_large(const Large &large);
    [[nodiscard]] std::size_t find(SessionHandle session) const;
    [[nodiscard]] std::uint32_t free_channel() const;
    void begin_large(SessionHandle session);
    void set_whole_aside(Large &large) const;
    void append_piece(Large &large, bool more, ReceivedBundles &out) const;
    void end_large(Large &large, std::uint64_t block_bytes, ReceivedBundles &out);
    void end_spooled(Large &large, ReceivedBundles &out);

    const std::uint64_t most_bytes_;
    Ring<Open> open_;
    std::vector<Large> large_;
    WaitingBlocks waiting_;
    std::uint64_t next_transfer_ = 0;
    std::uint64_t broken_aggregates_ = 0;
    std::uint64_t unacknowledged_bytes_ = 0;
};

}  // namespace farlink::cla::ltp
