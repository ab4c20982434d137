// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/client_message.hpp"

#include "common/config/fields/json_document.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

std::optional<unsigned> parse_client_message(std::string_view text) {
    if (text.size() > kMostClientMessageBytes || config::nested_too_deeply(text))
        return std::nullopt;
    const Json message = Json::parse(text, nullptr, false);
    if (!message.is_object() || message.size() != 1) return std::nullopt;
    const auto rate = message.find("rate");
    if (rate == message.end() || !rate->is_number_unsigned()) return std::nullopt;
    const auto value = rate->get<std::uint64_t>();
    if (value < 1 || value > kMostUpdatesPerSecond) return std::nullopt;
    return static_cast<unsigned>(value);
}

}  // namespace farlink::telemetry
