// SPDX-License-Identifier: Apache-2.0
// The bundles that were passed on lately by a policy, a static route, the default gateway or a
// detour: one that comes again with more hops loops.
// Owned by IngressContext; one thread.
// Hashes in rows of a cache line each; a new one replaces the oldest of its row. A look-up costs
// the same for any choice of identities. A lost entry costs a bundle another round, a false match
// a pause.
//
// Each node that passes on a bundle counts up its hops. A repeat, by the same neighbour or by
// another one, has no more than the first arrival; what has made a round has more. Without hops
// both look alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace farlink::ingress {

class RecentPasses {
public:
    /// In 1 MiB, which is taken when the first bundle is noted.
    static constexpr std::size_t kRemembered = 131'072;

    enum class Pass : std::uint8_t {
        kFirst,   ///< it is not remembered; from now on it is
        kRepeat,  ///< no more hops than at first
        kReturn,
    };

    [[nodiscard]] Pass note(std::uint64_t identity, std::uint64_t hops) {
        const std::uint64_t name = identity & ~kHops;
        const std::uint64_t entry = name | std::min(hops, kHops);
        if (rows_.empty()) rows_.resize(kRemembered / kRow);
        Row &row = rows_[(identity >> kHopBits) % rows_.size()];
        const auto found = std::ranges::find(row, name, [](auto one) { return one & ~kHops; });
        const bool known = found != row.end();
        const std::uint64_t first = known ? *found : entry;
        // It is the youngest now.
        std::copy_backward(row.begin(), known ? found : row.end() - 1,
                           known ? found + 1 : row.end());
        row.front() = first;
        if (!known) return Pass::kFirst;
        return entry > first ? Pass::kReturn : Pass::kRepeat;
    }
    /// It was not passed on: its sender has it, and sends it again.
    void forget(std::uint64_t identity) {
        if (rows_.empty()) return;
        Row &row = rows_[(identity >> kHopBits) % rows_.size()];
        const std::uint64_t name = identity & ~kHops;
        const auto found = std::ranges::find(row, name, [](auto one) { return one & ~kHops; });
        if (found != row.end()) *found = 0;
    }
    [[nodiscard]] bool any() const { return !rows_.empty(); }

private:
    static constexpr std::size_t kRow = 8;
    static constexpr unsigned kHopBits = 8;
    static constexpr std::uint64_t kHops = (1U << kHopBits) - 1;  ///< the bits of an entry for them
    using Row = std::array<std::uint64_t, kRow>;

    std::vector<Row> rows_;
};

}  // namespace farlink::ingress
