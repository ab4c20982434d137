// SPDX-License-Identifier: Apache-2.0
// The bundles of one run that have arrived: finds duplicates, gaps and changes of order.
// Owned by the verifier, one for each run; one thread.
// Costs one bit for a bundle, and nothing for a stretch of 65,536 that is complete.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace farlink::traffic {

class SequenceTracker {
public:
    enum class Verdict : std::uint8_t { kNew, kDuplicate, kBeyondLimit };
    /// Numbers from here on are refused: no run is that long, and memory stays bounded.
    static constexpr std::uint64_t kLimit = std::uint64_t{1} << 36;

    Verdict record(std::uint64_t sequence);
    [[nodiscard]] bool contains(std::uint64_t sequence) const;
    /// `total` as the bundle with this number states it; the latest bundle is right, since a run
    /// that is stopped early corrects its total in its last bundle.
    void note_total(std::uint64_t sequence, std::uint64_t total);

    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] std::uint64_t duplicates() const { return duplicates_; }
    /// Bundles that came after one with a higher number.
    [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }
    [[nodiscard]] bool total_known() const { return total_ > 0; }
    /// Missing bundles: of the total when it is known, otherwise up to the highest number seen.
    [[nodiscard]] std::uint64_t lost() const;
    [[nodiscard]] bool complete() const { return total_known() && lost() == 0; }

private:
    static constexpr std::uint64_t kChunkBundles = 65536;
    using Bits = std::array<std::uint64_t, kChunkBundles / 64>;
    struct Chunk {
        std::unique_ptr<Bits> bits;  ///< null while none or all of the stretch has arrived
        std::uint32_t received = 0;
    };

    std::vector<Chunk> chunks_;
    std::uint64_t end_ = 0;  ///< highest number seen, plus one
    std::uint64_t received_ = 0;
    std::uint64_t duplicates_ = 0;
    std::uint64_t out_of_order_ = 0;
    std::uint64_t total_ = 0;
    std::uint64_t total_stated_by_ = 0;
};

}  // namespace farlink::traffic
