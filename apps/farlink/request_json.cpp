// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/request_json.hpp"

#include <optional>
#include <unordered_set>
#include <vector>

#include "common/config/json_document.hpp"

namespace farlink::app {

using nlohmann::ordered_json;

Result<ordered_json, std::string> parse_request(const std::string &text) {
    if (config::nested_too_deeply(text))
        return fail("the request has lists and objects nested too deeply; expected at most " +
                    std::to_string(config::kDeepestNesting) + " levels");
    std::vector<std::unordered_set<std::string>> open;  // the keys of each object
    std::optional<std::string> repeated;
    const auto look = [&](int, ordered_json::parse_event_t event, const ordered_json &value) {
        if (event == ordered_json::parse_event_t::object_start)
            open.emplace_back();
        else if (event == ordered_json::parse_event_t::object_end)
            open.pop_back();
        else if (event == ordered_json::parse_event_t::key && !repeated &&
                 !open.back().insert(value.get<std::string>()).second)
            repeated = value.get<std::string>();
        return true;
    };
    ordered_json request = ordered_json::parse(text, look, false);
    if (!request.is_object()) return fail(std::string("the request is no JSON object"));
    if (repeated)
        return fail("the key " + config::in_quotes(*repeated) + " occurs twice in one object");
    return request;
}

}  // namespace farlink::app
