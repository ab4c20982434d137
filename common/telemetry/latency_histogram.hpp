// SPDX-License-Identifier: Apache-2.0
// A histogram of durations with buckets that widen with the value: exact below 64 ns, within 1/32
// (3.2 %) above, up to 36 minutes. Owned by the module that measures; one thread; merge() joins
// several. Fixed memory (9.5 kB); add() is a few shifts and one increment.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace farlink::telemetry {

/// The place, from 1, of the value that `percent` (0 to 100) of `count` ordered values do not
/// exceed; `count` is not 0.
[[nodiscard]] std::uint64_t nearest_rank(double percent, std::uint64_t count);

class LatencyHistogram {
public:
    /// Counts one duration; above kLargest it counts as kLargest.
    void add(std::uint64_t nanoseconds) {
        ++buckets_[bucket_of(std::min(nanoseconds, kLargest))];
        ++count_;
        sum_ += nanoseconds;
        smallest_ = std::min(smallest_, nanoseconds);
        largest_ = std::max(largest_, nanoseconds);
    }
    void merge(const LatencyHistogram &other);
    void clear() { *this = {}; }
    /// The values added since `before`, an earlier state of this histogram; smallest and largest
    /// are those of all values.
    [[nodiscard]] LatencyHistogram since(const LatencyHistogram &before) const;

    /// The duration that `percent` (0 to 100) of all values do not exceed, as the upper end of
    /// its bucket but never beyond the largest value; 0 without values.
    [[nodiscard]] std::uint64_t percentile(double percent) const;
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::uint64_t sum() const { return sum_; }
    [[nodiscard]] std::uint64_t smallest() const { return count_ == 0 ? 0 : smallest_; }
    [[nodiscard]] std::uint64_t largest() const { return largest_; }
    [[nodiscard]] std::uint64_t mean() const { return count_ == 0 ? 0 : sum_ / count_; }

    static constexpr unsigned kStepBits = 5;  ///< 32 buckets for each power of two
    static constexpr unsigned kLargestBits = 41;
    static constexpr std::uint64_t kLargest = (std::uint64_t{1} << kLargestBits) - 1;

    /// The first 2^kStepBits buckets are one value wide; then each power of two has as many.
    [[nodiscard]] static constexpr std::size_t bucket_of(std::uint64_t value) {
        const auto bits = static_cast<unsigned>(std::bit_width(value));
        const unsigned shift = bits > kStepBits + 1 ? bits - kStepBits - 1 : 0;
        return (std::size_t{shift} << kStepBits) + static_cast<std::size_t>(value >> shift);
    }
    /// The largest value that falls into the bucket.
    [[nodiscard]] static constexpr std::uint64_t upper_end(std::size_t bucket) {
        constexpr std::size_t kSteps = std::size_t{1} << kStepBits;
        const std::size_t shift = bucket < 2 * kSteps ? 0 : (bucket >> kStepBits) - 1;
        const std::uint64_t step = bucket - (shift << kStepBits);
        return ((step + 1) << shift) - 1;
    }

private:
    std::array<std::uint64_t, (kLargestBits - kStepBits + 1) << kStepBits> buckets_{};
    std::uint64_t count_ = 0;
    std::uint64_t sum_ = 0;
    std::uint64_t smallest_ = ~std::uint64_t{0};
    std::uint64_t largest_ = 0;
};

}  // namespace farlink::telemetry
