// SPDX-License-Identifier: Apache-2.0
// JSON of telemetry: writing it with texts from peers, and reading members.
// Plain functions on values.
// Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace farlink::telemetry {

using Json = nlohmann::json;

/// Valid JSON, whatever octets the names of neighbours have.
[[nodiscard]] inline std::string to_text(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A member that is text; empty when it is absent.
[[nodiscard]] inline std::string text_of(const Json &object, const char *key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace farlink::telemetry
