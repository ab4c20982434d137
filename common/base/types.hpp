// SPDX-License-Identifier: Apache-2.0
// Strong types for numbers that could be confused: nodes, links, rates.
// Values; no owner, no thread affinity.
// `value()` is for the wire and JSON only.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace farlink {

template <class Tag, class Rep>
class Strong {
public:
    using rep = Rep;
    constexpr Strong() = default;
    constexpr explicit Strong(Rep value) : value_(value) {}
    [[nodiscard]] constexpr Rep value() const { return value_; }
    friend constexpr auto operator<=>(Strong, Strong) = default;

private:
    Rep value_{};
};

/// Fully-qualified ipn node number: allocator * 2^32 + node (RFC 9758 section 3.3.1).
using NodeNumber = Strong<struct NodeNumberTag, std::uint64_t>;
/// Index of a link in the node's configuration: inducts first, then outducts.
using LinkId = Strong<struct LinkIdTag, std::uint32_t>;
/// Transmission rate in bits per second; 0 means unlimited.
using BitRate = Strong<struct BitRateTag, std::uint64_t>;

/// One session from which bundles arrive, unique in the process: the unit of back-pressure.
using UpstreamId = Strong<struct UpstreamIdTag, std::uint32_t>;

inline constexpr LinkId kNoLink{0xffffffffU};
/// Leads to the services of this node: storage releases to it what it has joined for them.
inline constexpr LinkId kServicesLink{0xfffffffeU};
/// The source of bundles that the node originates.
inline constexpr UpstreamId kNoUpstream{0xffffffffU};

/// Priority of a bundle (RFC 5050 section 4.2 class of service); BPv7 bundles get one by policy.
enum class Priority : std::uint8_t { kBulk = 0, kNormal = 1, kExpedited = 2 };
inline constexpr std::size_t kPriorityCount = 3;

/// Maximum number of instances of ingress, and of egress.
inline constexpr std::size_t kMostInstances = 4;

}  // namespace farlink

template <class Tag, class Rep>
struct std::hash<farlink::Strong<Tag, Rep>> {
    std::size_t operator()(farlink::Strong<Tag, Rep> strong) const noexcept {
        return std::hash<Rep>{}(strong.value());
    }
};
