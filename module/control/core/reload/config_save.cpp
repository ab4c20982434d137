// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/config_save.hpp"

#include <algorithm>
#include <vector>

#include "module/control/core/reload/json_text.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

/// On one line, with spaces as in the examples.
std::string spaced(const std::string &link) {
    const Json json = Json::parse(link, nullptr, false);
    std::string text;
    for (const auto &[key, value] : json.items())
        text += (text.empty() ? "" : ", ") + Json(key).dump() + ": " + value.dump();
    return "{ " + text + " }";
}

/// Links of commands that the file lacks, by number.
std::vector<const BookedLink *> added_links(const LiveState &live, bool outducts) {
    std::vector<const BookedLink *> added;
    const std::vector<LinkId> &filed = live.numbers.of(outducts);
    for (const auto &[id, link] : live.links.links())
        if (link.outduct() == outducts && link.by_command &&
            std::ranges::find(filed, id) == filed.end())
            added.push_back(&link);
    return added;
}

}  // namespace

std::string save_live_state(const std::string &text, const LiveState &live) {
    std::string saved = text;
    for (const bool outducts : {false, true}) {
        ListEdit edit;
        const std::vector<LinkId> &filed = live.numbers.of(outducts);
        for (std::size_t place = 0; place < filed.size(); ++place) {
            const BookedLink *link = live.links.find(filed[place]);
            if (link == nullptr)
                edit.items[place] = std::nullopt;
            else if (link->by_command)
                edit.items[place] = spaced(link->json);
        }
        for (const BookedLink *link : added_links(live, outducts))
            edit.more.push_back(spaced(link->json));
        saved = with_items(saved, config::list_of(outducts), edit);
    }
    if (live.log_level) saved = with_member(saved, "logLevel", Json(*live.log_level).dump());
    return saved;
}

FileLinks saved_numbers(const LiveState &live) {
    FileLinks numbers;
    for (const bool outducts : {false, true}) {
        for (const LinkId number : live.numbers.of(outducts))
            if (live.links.find(number) != nullptr) numbers.of(outducts).push_back(number);
        for (const BookedLink *link : added_links(live, outducts))
            numbers.of(outducts).push_back(link->id);
    }
    return numbers;
}

}  // namespace farlink::control
