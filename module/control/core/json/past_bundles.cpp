// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/past_bundles.hpp"

#include <array>

#include "module/control/core/json/contact_json.hpp"
#include "module/control/core/json/exact_number.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

/// RFC 9171 section 9.5.
constexpr std::array<std::string_view, 12> kReasonTexts{"none",
                                                        "lifetime expired",
                                                        "forwarded over unidirectional link",
                                                        "transmission canceled",
                                                        "depleted storage",
                                                        "destination endpoint unavailable",
                                                        "no known route to destination",
                                                        "no timely contact",
                                                        "block unintelligible",
                                                        "hop limit exceeded",
                                                        "traffic pared",
                                                        "block unsupported"};

Json past_row(const history::FoundBundle &found) {
    const history::PastBundle &bundle = found.bundle;
    const history::Passage &passage = bundle.passage;
    Json row{{"id", bp::to_string(bundle.id)},
             {"destination", bundle.destination.to_string()},
             {"outcome", history::to_string(passage.ending)},
             {"time", moment(passage.time)},
             {"module", found.module}};
    if (passage.reason != 0 && passage.reason < kReasonTexts.size())
        row["reason"] = kReasonTexts[passage.reason];
    if (passage.reason != 0) row["reasonCode"] = passage.reason;
    if (passage.link != kNoLink) row["link"] = passage.link.value();
    if (passage.sender.value() != 0) row["previousNode"] = exact_json(passage.sender.value());
    row["bytes"] = exact_json(passage.size);
    row["version"] = bundle.version;
    if (bundle.hops) row["hops"] = *bundle.hops;
    if (bundle.cut_names) row["namesAreCut"] = true;
    return row;
}

}  // namespace

Json past_json(const history::FoundBundles &found) {
    Json rows = Json::array();
    for (const history::FoundBundle &each : found.bundles) rows.push_back(past_row(each));
    return rows;
}

Json history_json(const history::FoundBundles &found) {
    return {{"files", found.histories},
            {"oldest", moment(found.counts.oldest)},
            {"unrecorded", found.counts.unrecorded},
            {"overwritten", found.counts.overwritten}};
}

}  // namespace farlink::control
