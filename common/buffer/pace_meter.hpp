// SPDX-License-Identifier: Apache-2.0
// How fast the octets of an incomplete bundle or block have arrived lately.
// Owned by what counts the octets.
// One thread. By the average since its beginning, a burst would be fast long after its end.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/base/time.hpp"

namespace farlink {

class PaceMeter {
public:
    /// Nothing comes any more after this time without an octet.
    static constexpr seconds kSilence{2};

    /// The first `bytes` have arrived. Within the first second, nothing counts as slow.
    void start(std::uint64_t bytes, TimePoint now) {
        pace_ = ~std::uint64_t{0};
        excuse(bytes, now);
    }
    /// `bytes` in all have arrived, the last ones now.
    void update(std::uint64_t bytes, TimePoint now) {
        updated_ = now;
        if (now - measured_ < kMeasureFor) return;
        pace_ = pace(bytes, now);
        measured_ = now;
        measured_bytes_ = bytes;
    }
    /// Begins to measure anew: the delay until now does not count.
    void excuse(std::uint64_t bytes, TimePoint now) {
        measured_ = updated_ = now;
        measured_bytes_ = bytes;
    }
    /// Octets a second; 0 after such a `silence`.
    [[nodiscard]] std::uint64_t pace(std::uint64_t bytes, TimePoint now,
                                     Duration silence = kSilence) const {
        if (now - updated_ >= silence) return 0;
        if (now - measured_ < kMeasureFor) return pace_;
        const auto passed = std::chrono::duration_cast<milliseconds>(now - measured_).count();
        return (bytes - measured_bytes_) * 1000 / static_cast<std::uint64_t>(passed);
    }

private:
    static constexpr seconds kMeasureFor{1};

    std::uint64_t pace_ = ~std::uint64_t{0};  ///< when it was measured last
    TimePoint measured_{};
    TimePoint updated_{};
    std::uint64_t measured_bytes_ = 0;
};

}  // namespace farlink
