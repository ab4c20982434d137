// SPDX-License-Identifier: Apache-2.0
// Initialization vectors that never repeat under one key (NIST SP 800-38D section 8.2.1): a fixed
// field for node, instance and the counter's own beginning, and a counter whose numbers are
// reserved on disk before they are used.
// An IvCounter belongs to one thread; its ReservedRanges to one process.
#pragma once

#include <optional>

#include "common/bp/bpsec/crypto/random_source.hpp"

namespace farlink::bp::bpsec {

/// Encryptions under one key (section 8.3).
inline constexpr std::uint64_t kMostEncryptions = std::uint64_t{1} << 32;
/// Numbers that are reserved at once; a restart loses those that were not used.
inline constexpr std::uint64_t kReservedAtOnce = 4096;

/// Two sources that share a key never have the same field.
struct IvField {
    std::uint32_t node = 0;       ///< the node's number; where it is longer, of all its bits
    std::uint8_t instance = 0;    ///< of those that encrypt for the node
    std::uint32_t beginning = 0;  ///< 24 random bits, drawn when the counter was made
};

/// Ranges of numbers, each given once, also after a restart or a power cut.
class ReservedRanges {
public:
    virtual ~ReservedRanges() = default;
    /// Reserves `count` numbers durably and returns the first; empty when that is not possible.
    [[nodiscard]] virtual std::optional<std::uint64_t> reserve(std::uint64_t count) = 0;
    [[nodiscard]] virtual IvField field() const = 0;
};

class IvCounter final : public IvSource {
public:
    explicit IvCounter(ReservedRanges &ranges) : ranges_(ranges) {}
    [[nodiscard]] bool next(MutableBytes iv) override;

private:
    ReservedRanges &ranges_;
    std::uint64_t next_ = 0;
    std::uint64_t end_ = 0;
};

/// The node's part of the field.
[[nodiscard]] constexpr std::uint32_t iv_node(std::uint64_t node) {
    return static_cast<std::uint32_t>(node ^ (node >> 32));
}

}  // namespace farlink::bp::bpsec
