// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/watch/watch_print.hpp"

#include "apps/farlinkctl/shared/figures.hpp"
#include "common/config/fields/instant.hpp"
#include "common/history/bundle_watch.hpp"

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
    if (const auto age = history::age_ms_of(bundle))
        line += ", age " + std::to_string(*age) + " ms";
    if (bundle.hops) line += ", " + std::to_string(*bundle.hops) + " hops";
    return line;
}

}  // namespace farlink::ctl
