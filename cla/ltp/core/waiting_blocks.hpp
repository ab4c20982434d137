// SPDX-License-Identifier: Apache-2.0
// Received blocks of which some bundles were taken while others found no room: those wait, and are
// offered again after pauses that grow.
// Owned by BundleInbox; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "cla/ltp/core/codec/types.hpp"
#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/buffer/slab.hpp"

namespace farlink::cla::ltp {

/// The octets of a block of several bundles, from which bundles without room are cut again.
struct KeptBlock {
    SessionHandle session;
    std::uint64_t service = 0;
    std::uint64_t size = 0;
    std::vector<ByteView> slices;
    std::vector<SlabRef> slabs;  ///< one for each slice
    /// The bundles to offer, by their places in the block; empty: all.
    std::vector<std::uint32_t> places;
    std::vector<std::uint32_t> refused;  ///< of the bundles offered last
    bool follows = false;  ///< the bundles are offered after the large one behind them
    bool taken = false;    ///< a bundle of the block was
    Duration pause{};

    void append(std::span<const ByteView> more, std::span<const SlabRef> under) {
        slices.insert(slices.end(), more.begin(), more.end());
        slabs.insert(slabs.end(), under.begin(), under.end());
    }
};

class WaitingBlocks {
public:
    /// The pause doubles while no bundle of the block is taken.
    static constexpr Duration kShortestPause = milliseconds(100);
    static constexpr Duration kLongestPause = seconds(2);

    /// A block whose octets the caller appends.
    [[nodiscard]] std::unique_ptr<KeptBlock> acquire(SessionHandle session, std::uint64_t service,
                                                     std::uint64_t size);
    /// Lets go of the octets.
    void release(std::unique_ptr<KeptBlock> block);

    /// The refused bundles of the block wait. `progress`: others of the last offer were taken.
    void wait(std::unique_ptr<KeptBlock> block, bool progress, TimePoint now);
    /// All bundles of the block wait, without a pause.
    void wait_for_turn(std::unique_ptr<KeptBlock> block, TimePoint now);
    /// The next block whose bundles are to be offered now, or null.
    [[nodiscard]] std::unique_ptr<KeptBlock> poll_due(TimePoint now);
    [[nodiscard]] TimePoint next_due() const {
        return by_due_.empty() ? kNever : by_due_.begin()->first;
    }
    void clear() { by_due_.clear(); }

private:
    static constexpr std::size_t kMostSpare = 64;

    std::multimap<TimePoint, std::unique_ptr<KeptBlock>> by_due_;
    std::vector<std::unique_ptr<KeptBlock>> spare_;  ///< their vectors keep their memory
};

}  // namespace farlink::cla::ltp
