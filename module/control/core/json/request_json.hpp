// SPDX-License-Identifier: Apache-2.0
// Parses a request of the control socket.
// A plain function; any thread.
// A key that occurs twice in an object is an error: the request is ambiguous.
#pragma once

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "common/base/result.hpp"

namespace farlink::control {

/// Twice the values of a contact plan of 100,000 contacts.
inline constexpr std::size_t kMostRequestValues = 4'000'000;

/// One JSON object, or the error of the text. It ends early at a stop request.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> parse_request(
    const std::string &text, const std::stop_token &stop = {});

}  // namespace farlink::control
