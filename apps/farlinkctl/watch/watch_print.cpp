// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/watch/watch_print.hpp"

#include "apps/farlinkctl/shared/figures.hpp"
#include "common/config/fields/instant.hpp"

namespace farlink::ctl {

std::string watch_line(const history::FoundBundle &found) {
    const history::PastBundle &bundle = found.bundle;
    const history::Passage &passage = bundle.passage;
    std::string line = config::format_utc(passage.time) + ' ';
    line += history::to_string(passage.ending);
    if (passage.link != kNoLink) line += " by link " + std::to_string(passage.link.value());
    if (passage.reason != 0) line += " (reason " + std::to_string(passage.reason) + ')';
    line += ": " + printable(bp::to_string(bundle.id)) + " to " +
            printable(bundle.destination.to_string()) + ", " +
            octets_text(static_cast<double>(passage.size));
    if (const auto age = age_ms_of(bundle)) line += ", age " + std::to_string(*age) + " ms";
    if (bundle.hops) line += ", " + std::to_string(*bundle.hops) + " hops";
    return line;
}

nlohmann::ordered_json watch_json(const history::FoundBundle &found) {
    const history::PastBundle &bundle = found.bundle;
    const history::Passage &passage = bundle.passage;
    nlohmann::ordered_json row{{"time", passage.time},
                               {"id", bp::to_string(bundle.id)},
                               {"source", bundle.id.source.to_string()},
                               {"destination", bundle.destination.to_string()},
                               {"outcome", history::to_string(passage.ending)},
                               {"bytes", passage.size},
                               {"version", bundle.version},
                               {"module", found.module}};
    if (passage.reason != 0) row["reasonCode"] = passage.reason;
    if (passage.link != kNoLink) row["link"] = passage.link.value();
    if (passage.sender.value() != 0) row["previousNode"] = passage.sender.value();
    if (const auto age = age_ms_of(bundle)) row["ageMilliseconds"] = *age;
    if (bundle.hops) row["hops"] = *bundle.hops;
    return row;
}

}  // namespace farlink::ctl
