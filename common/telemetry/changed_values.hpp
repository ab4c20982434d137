// SPDX-License-Identifier: Apache-2.0
// Whether counters are others than those that were told last.
// Owned by the agent that reports them; its thread only.
// A look costs a comparison of some hundred numbers, and nothing is told when nothing has changed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace farlink::telemetry {

class ChangedValues {
public:
    /// True when `values` are others than at the last call, or this is the first one.
    [[nodiscard]] bool take(std::span<const std::uint64_t> values) {
        if (std::ranges::equal(values, published_)) return false;
        published_.assign(values.begin(), values.end());
        return true;
    }

private:
    std::vector<std::uint64_t> published_;
};

}  // namespace farlink::telemetry
