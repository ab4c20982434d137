// SPDX-License-Identifier: Apache-2.0
// Reads what a client of the control socket sends.
// A plain function; any thread.
// A key that stands twice in an object is refused: nobody can know which of the two was meant.
#pragma once

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "common/base/result.hpp"

namespace farlink::app {

/// Of a contact plan of 100,000 contacts with all their members, twice over.
inline constexpr std::size_t kMostRequestValues = 4'000'000;

/// One JSON object; what is wrong with the text. It gives up when it is told to stop.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> parse_request(
    const std::string &text, const std::stop_token &stop = {});

}  // namespace farlink::app
