// SPDX-License-Identifier: Apache-2.0
// The JSON that telemetry makes, and what every text from outside goes through to become a part of
// it. Plain functions on values.
// Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace farlink::telemetry {

using Json = nlohmann::json;

/// Neighbours choose their names: whatever octets they are, this is JSON.
[[nodiscard]] inline std::string to_text(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A text of an object; empty where there is none.
[[nodiscard]] inline std::string text_of(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace farlink::telemetry
