// SPDX-License-Identifier: Apache-2.0
// The block numbers that a bundle uses (RFC 9171 section 4.1: each at most once).
// A value on the stack of a function that reads a bundle.
// One thread.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace farlink::bp::v7 {

/// Extension blocks without a number (0) that a fragment may have.
inline constexpr std::size_t kMostUnnumbered = 32;

class BlockNumbers {
public:
    /// False when the number is in use already. Numbers above 255 are legal and rare; a bundle with
    /// more than kMaxLarge of them is rejected likewise, which bounds time and memory.
    [[nodiscard]] bool insert(std::uint64_t number) {
        if (number < kSmall) {
            std::uint64_t &word = small_[number / 64];
            const std::uint64_t bit = std::uint64_t{1} << (number % 64);
            if ((word & bit) != 0) return false;
            word |= bit;
            return true;
        }
        return insert_large(number);
    }

    /// Uses lowest_free(), and returns it; 0 when none is free.
    [[nodiscard]] std::uint64_t take_lowest() {
        const std::uint64_t number = lowest_free();
        if (number != 0) (void)insert(number);
        return number;
    }

    /// The lowest number from 2 on that is free: 0 is the number of the primary block and 1 that of
    /// the payload block. 0 when none is free.
    [[nodiscard]] std::uint64_t lowest_free() const {
        for (std::size_t i = 0; i < small_.size(); ++i) {
            const std::uint64_t used = small_[i] | (i == 0 ? 3 : 0);
            if (~used != 0) return i * 64 + static_cast<std::uint64_t>(std::countr_one(used));
        }
        if (large_count_ == kMaxLarge) return 0;
        std::uint64_t number = kSmall;
        while (contains_large(number)) ++number;
        return number;
    }

private:
    static constexpr std::uint64_t kSmall = 256;
    static constexpr std::size_t kMaxLarge = 64;

    /// Apart, so that insert() is small enough to be inlined.
    [[gnu::noinline, nodiscard]] bool insert_large(std::uint64_t number) {
        if (large_count_ == kMaxLarge || contains_large(number)) return false;
        large_[large_count_++] = number;
        return true;
    }
    [[nodiscard]] bool contains_large(std::uint64_t number) const {
        const auto end = large_.begin() + static_cast<std::ptrdiff_t>(large_count_);
        return std::find(large_.begin(), end, number) != end;
    }

    std::array<std::uint64_t, kSmall / 64> small_{};
    std::size_t large_count_ = 0;
    std::array<std::uint64_t, kMaxLarge> large_;
};

}  // namespace farlink::bp::v7
