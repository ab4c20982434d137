// SPDX-License-Identifier: Apache-2.0
// Bundles in STCP frames that leave with one gathered write.
// Owned by the generator; one thread. The template and the pattern outlive the group.
// Long stretches of the pattern are referred to, not copied; everything else lies in one arena.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <vector>

#include "apps/traffic/bundle_template.hpp"
#include "apps/traffic/payload.hpp"

namespace farlink::traffic {

class SendGroup {
public:
    /// A group is full from here on, whatever came in last.
    static constexpr std::size_t kFullBytes = 256 * 1024;

    SendGroup(BundleTemplate &bundles, const Pattern &pattern);

    /// Appends the bundle for `header`, in its frame.
    void add(const PayloadHeader &header);
    [[nodiscard]] bool full() const {
        return bytes_ >= kFullBytes || arena_.size() - used_ < needed_;
    }
    [[nodiscard]] bool empty() const { return bytes_ == 0; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

    /// The octets in order, for a gathered write that may change the array; valid until clear().
    [[nodiscard]] std::span<iovec> pieces();
    void clear();

private:
    /// From this size on, referring is cheaper than copying.
    static constexpr std::uint64_t kReferBytes = 4096;
    static constexpr std::size_t kLengthBytes = 4;

    void refer_to_pattern();
    void close_piece();

    BundleTemplate &bundles_;
    const Pattern &pattern_;
    const std::uint64_t tail_bytes_;
    const bool refer_;
    const std::size_t needed_;  ///< arena octets that one more bundle may take
    std::vector<std::uint8_t> arena_;
    std::vector<iovec> pieces_;
    std::size_t used_ = 0;         ///< of the arena
    std::size_t piece_begin_ = 0;  ///< arena octets from here on are not in a piece yet
    std::uint64_t bytes_ = 0;
};

}  // namespace farlink::traffic
