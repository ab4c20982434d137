// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/past_bundles.hpp"

#include "common/history/json/past_bundle_json.hpp"
#include "common/json/moment.hpp"

namespace farlink::control {

using Json = nlohmann::ordered_json;

Json past_json(const history::FoundBundles &found) {
    Json rows = Json::array();
    for (const history::FoundBundle &each : found.bundles) rows.push_back(history::to_json(each));
    return rows;
}

Json history_json(const history::FoundBundles &found) {
    return {{"files", found.histories},
            {"oldest", moment(found.counts.oldest)},
            {"unrecorded", found.counts.unrecorded},
            {"overwritten", found.counts.overwritten}};
}

}  // namespace farlink::control
