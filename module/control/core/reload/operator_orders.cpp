// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/operator_orders.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

std::string path_of(LinkId link, const FileLinks &numbers) {
    for (const bool outducts : {false, true}) {
        const std::vector<LinkId> &filed = numbers.of(outducts);
        const auto place = std::ranges::find(filed, link);
        if (place != filed.end())
            return config::item_path(config::list_of(outducts),
                                     static_cast<std::size_t>(place - filed.begin()));
    }
    return "link " + std::to_string(link.value());
}

}  // namespace

void note_orders(SettingChanges &changes, const bus::LinkSnapshot &links,
                 const FileLinks &numbers) {
    const auto note = [&](LinkId link, const char *what, Json before, Json now) {
        changes.push_back({path_of(link, numbers), config::ChangeKind::kChanged,
                           config::Applied::kLinks,
                           "link " + std::to_string(link.value()) + ": " + what, std::move(before),
                           std::move(now)});
    };
    for (const bus::LinkEntry &entry : links.links) {
        if (entry.overridden)
            note(entry.link, "rate or one-way light time set by `link set`", {},
                 {{"rateBitsPerSec", entry.rate.value()},
                  {"owlt", std::chrono::duration<double>(entry.owlt).count()}});
        if (!entry.enabled)
            note(entry.link, "taken down by `link down`", {{"enabled", true}},
                 {{"enabled", false}});
    }
}

}  // namespace farlink::control
