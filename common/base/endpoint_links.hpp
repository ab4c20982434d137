// SPDX-License-Identifier: Apache-2.0
// The numbers of endpoints of applications among the links, and of their connections among the
// sessions.
// Values; no owner.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/base/types.hpp"

namespace farlink {

/// The endpoints of applications are links, too. Their numbers begin here, and are used again: a
/// batch that was under way to one may meet another.
inline constexpr std::uint32_t kFirstEndpointLink = 0x60000000U;
inline constexpr std::uint32_t kEndpointLinks = 0x10000U;
/// The link leads to an application of this node.
[[nodiscard]] constexpr bool is_endpoint_link(LinkId link) {
    return link.value() - kFirstEndpointLink < kEndpointLinks;
}

/// Connections of applications are sessions from here on.
inline constexpr std::uint32_t kFirstApplicationUpstream = 0xc0000000U;
/// The session is a connection of an application.
[[nodiscard]] constexpr bool is_application(UpstreamId session) {
    return session.value() >= kFirstApplicationUpstream && session != kNoUpstream;
}

/// BatchedBundle::flow in a batch of applications: the priority that one asks for; 0: by policy.
[[nodiscard]] constexpr std::uint64_t asked_flow(std::optional<Priority> priority) {
    return priority ? static_cast<std::uint64_t>(*priority) + 1 : 0;
}
[[nodiscard]] constexpr std::optional<Priority> asked_priority(std::uint64_t flow) {
    if (flow == 0 || flow > kPriorityCount) return std::nullopt;
    return static_cast<Priority>(flow - 1);
}

/// What bundles leave by: the instances of egress, and behind them the module of applications.
inline constexpr std::size_t kMostCarriers = kMostInstances + 1;
inline constexpr std::size_t kApplicationsCarrier = kMostInstances;

}  // namespace farlink
