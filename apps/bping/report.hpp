// SPDX-License-Identifier: Apache-2.0
// What bping prints, for people and for programs: a line a request, and the summary.
// Plain functions; any thread.
// As JSON each is one object on one line, with its kind in `type`.
#pragma once

#include <cstdint>
#include <string>

#include "apps/bping/pinger.hpp"

namespace farlink::bping {

struct Summary {
    std::string to;
    const traffic::RoundTrips &trips;
    std::uint64_t refused = 0;  ///< requests that the neighbour did not take
    std::string error;
};

[[nodiscard]] std::string echo_text(const Echo &echo, const std::string &from);
[[nodiscard]] std::string echo_json(const Echo &echo);
/// No reply to that request has come within the time-out.
[[nodiscard]] std::string lost_text(std::uint64_t sequence, const std::string &from,
                                    Duration timeout);
[[nodiscard]] std::string lost_json(std::uint64_t sequence, Duration timeout);
[[nodiscard]] std::string summary_text(const Summary &summary);
[[nodiscard]] std::string summary_json(const Summary &summary);

}  // namespace farlink::bping
