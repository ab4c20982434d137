// SPDX-License-Identifier: Apache-2.0
// The services that a node has itself: administration, echo, and the ping service, which sends echo
// requests.
// Plain functions.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink::config {

/// The service that sends echo requests, and never answers.
[[nodiscard]] constexpr std::uint64_t ping_service(std::uint64_t echo_service) {
    constexpr std::uint64_t kUsual = 2046;
    return echo_service == kUsual ? kUsual - 1 : kUsual;
}

/// No application can have this service.
[[nodiscard]] constexpr bool is_own_service(std::uint64_t service, std::uint64_t echo_service) {
    return service == 0 || service == echo_service || service == ping_service(echo_service);
}

}  // namespace farlink::config
