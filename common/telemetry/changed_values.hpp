// SPDX-License-Identifier: Apache-2.0
// Detects whether counters have changed since they were last reported.
// Owned by the agent that reports them; its thread only.
// A call compares some hundred numbers; unchanged counters are not reported.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace farlink::telemetry {

class ChangedValues {
public:
    /// True when `values` differ from those of the last call, and at the first call.
    [[nodiscard]] bool take(std::span<const std::uint64_t> values) {
        if (std::ranges::equal(values, published_)) return false;
        published_.assign(values.begin(), values.end());
        return true;
    }

private:
    std::vector<std::uint64_t> published_;
};

}  // namespace farlink::telemetry
