// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/seen_numbers.hpp"

#include <algorithm>
#include <limits>

namespace farlink::bptunnel {

bool SeenNumbers::add(std::uint64_t number) {
    if (number == std::numeric_limits<std::uint64_t>::max()) return false;
    if (seen_.empty()) seen_.assign(kMost, false);
    if (number >= next_) {
        if (number - next_ >= kMost)
            seen_.assign(kMost, false);
        else
            for (std::uint64_t at = next_; at < number; ++at) seen_[at % kMost] = false;
        next_ = number + 1;
        seen_[number % kMost] = true;
        return true;
    }
    if (next_ - number > kMost || seen_[number % kMost]) return false;
    seen_[number % kMost] = true;
    return true;
}

}  // namespace farlink::bptunnel
