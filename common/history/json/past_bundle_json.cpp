// SPDX-License-Identifier: Apache-2.0
#include "common/history/json/past_bundle_json.hpp"

#include "common/bp/report_reason.hpp"
#include "common/history/bundle_watch.hpp"
#include "common/json/exact_number.hpp"
#include "common/json/moment.hpp"

namespace farlink::history {

nlohmann::ordered_json to_json(const FoundBundle &found) {
    const PastBundle &bundle = found.bundle;
    const Passage &passage = bundle.passage;
    nlohmann::ordered_json row{{"id", bp::to_string(bundle.id)},
                               {"source", bundle.id.source.to_string()},
                               {"destination", bundle.destination.to_string()},
                               {"outcome", to_string(passage.ending)},
                               {"time", moment(passage.time)},
                               {"module", found.module}};
    if (passage.reason != 0) {
        row["reason"] = bp::report_reason_text(passage.reason);
        row["reasonCode"] = passage.reason;
    }
    if (passage.link != kNoLink) row["link"] = passage.link.value();
    if (passage.sender.value() != 0) row["previousNode"] = exact_json(passage.sender.value());
    row["bytes"] = exact_json(passage.size);
    row["version"] = bundle.version;
    if (const auto age = age_ms_of(bundle)) row["ageMilliseconds"] = exact_json(*age);
    if (bundle.hops) row["hops"] = *bundle.hops;
    if (bundle.cut_names) row["namesAreCut"] = true;
    return row;
}

}  // namespace farlink::history
