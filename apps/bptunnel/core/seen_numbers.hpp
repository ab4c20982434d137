// SPDX-License-Identifier: Apache-2.0
// Which of the latest numbers have come: a number counts once.
// Owned by what numbers are checked for.
// One thread.
#pragma once

#include <cstdint>
#include <vector>

namespace farlink::bptunnel {

class SeenNumbers {
public:
    /// Numbers up to the highest one that are remembered; earlier ones count as seen.
    static constexpr std::uint64_t kMost = 65'536;

    /// True: it is seen for the first time.
    bool add(std::uint64_t number);
    void clear() { *this = {}; }

private:
    std::vector<bool> seen_;  ///< by the number's remainder; empty before the first
    std::uint64_t next_ = 0;  ///< behind the highest
};

}  // namespace farlink::bptunnel
