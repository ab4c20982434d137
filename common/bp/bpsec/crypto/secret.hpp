// SPDX-License-Identifier: Apache-2.0
// Octets that must not leak: overwritten when they are no longer needed, never copied by accident.
// Owned by what uses them; moving empties the source. It has no text form on purpose.
// Any thread.
#pragma once

#include <array>
#include <cstddef>

#include "common/base/bytes.hpp"

namespace farlink::bp::bpsec {

/// Overwrites octets in a way that no compiler leaves out.
void wipe(MutableBytes octets);

/// Whether two strings of octets are equal, in a time that depends on their length alone.
[[nodiscard]] bool equal_in_constant_time(ByteView a, ByteView b);

class Secret {
public:
    static constexpr std::size_t kMostBytes = 128;

    Secret() = default;
    /// At most kMostBytes.
    explicit Secret(ByteView octets);
    Secret(Secret &&other) noexcept;
    Secret &operator=(Secret &&other) noexcept;
    Secret(const Secret &) = delete;
    Secret &operator=(const Secret &) = delete;
    ~Secret();

    [[nodiscard]] ByteView octets() const { return {octets_.data(), size_}; }
    [[nodiscard]] std::size_t size() const { return size_; }
    /// Memory for `size` octets, which the caller fills.
    [[nodiscard]] MutableBytes resize(std::size_t size);
    /// A second one, where that is meant.
    [[nodiscard]] Secret clone() const { return Secret(octets()); }

private:
    std::array<std::uint8_t, kMostBytes> octets_{};
    std::size_t size_ = 0;
};

}  // namespace farlink::bp::bpsec
