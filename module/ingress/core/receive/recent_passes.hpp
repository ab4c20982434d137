// SPDX-License-Identifier: Apache-2.0
// The bundles that were passed on lately by a static route or the default gateway: one that comes
// again loops.
// Owned by Dispatcher; one thread.
// Hashes in rows of a cache line each; a new one replaces the oldest of its row. A look-up costs
// the same for any choice of identities. A lost entry costs a bundle another round, a false match
// a pause.
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

    /// True when the bundle is among those remembered; from now on it is.
    [[nodiscard]] bool note(std::uint64_t identity) {
        if (rows_.empty()) rows_.resize(kRemembered / kRow);
        Row &row = rows_[identity % rows_.size()];
        const auto found = std::ranges::find(row, identity);
        const bool known = found != row.end();
        // It is the youngest now.
        std::copy_backward(row.begin(), known ? found : row.end() - 1,
                           known ? found + 1 : row.end());
        row.front() = identity;
        return known;
    }

private:
    static constexpr std::size_t kRow = 8;
    using Row = std::array<std::uint64_t, kRow>;

    std::vector<Row> rows_;
};

}  // namespace farlink::ingress
