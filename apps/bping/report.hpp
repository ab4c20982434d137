// SPDX-License-Identifier: Apache-2.0
// The output of bping as text and JSON: a line a request, and a summary.
// Plain functions; any thread.
// As JSON each is one object on one line, with its kind in `type`.
#pragma once

#include <cstdint>
#include <string>

#include "apps/bping/pinger.hpp"

namespace farlink::bping {

struct Summary {
    std::string to;
    const ping::RoundTrips &trips;
    std::uint64_t refused = 0;  ///< requests that the neighbour refused
    std::string error;
};

[[nodiscard]] std::string echo_text(const Echo &echo, const std::string &from);
[[nodiscard]] std::string echo_json(const Echo &echo);
/// The request has had no reply within the timeout.
[[nodiscard]] std::string lost_text(std::uint64_t sequence, const std::string &from,
                                    Duration timeout);
[[nodiscard]] std::string lost_json(std::uint64_t sequence, Duration timeout);
[[nodiscard]] std::string summary_text(const Summary &summary);
[[nodiscard]] std::string summary_json(const Summary &summary);

}  // namespace farlink::bping
