// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/csv.hpp"

#include <array>

namespace farlink::telemetry {
namespace {

constexpr std::array kEventMembers{"id", "time", "level", "module", "kind", "link", "text"};

std::string value_of(const Json &event, const char *member) {
    const auto found = event.find(member);
    if (found == event.end()) return {};
    return found->is_string() ? csv_field(found->get_ref<const std::string &>()) : found->dump();
}

}  // namespace

std::string csv_field(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string field = "\"";
    for (const char letter : text) {
        if (letter == '"') field += '"';
        field += letter;
    }
    return field + '"';
}

std::string events_csv(const Json &events) {
    std::string text = "id,time,level,module,kind,link,text\r\n";
    for (const Json &event : events) {
        const char *separator = "";
        for (const char *member : kEventMembers) {
            text += separator + value_of(event, member);
            separator = ",";
        }
        text += "\r\n";
    }
    return text;
}

}  // namespace farlink::telemetry
