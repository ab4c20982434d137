// SPDX-License-Identifier: Apache-2.0
// Counts the octets of bundles that wait for the host's disposition, and what each costs besides.
// Owned by one session's queue of acknowledgements.
// One thread.
#pragma once

#include <cstdint>

namespace farlink::cla::tcpcl {

/// `kOverhead`: bytes that a bundle costs the host beside its octets.
template <std::uint64_t kOverhead>
class UnacknowledgedBytes {
public:
    [[nodiscard]] static constexpr std::uint64_t cost(std::uint64_t bytes) {
        return bytes + kOverhead;
    }
    void add(std::uint64_t bytes) { total_ += cost(bytes); }
    void remove(std::uint64_t bytes) { total_ -= cost(bytes); }
    [[nodiscard]] std::uint64_t total() const { return total_; }

private:
    std::uint64_t total_ = 0;
};

}  // namespace farlink::cla::tcpcl
