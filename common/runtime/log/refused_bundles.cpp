// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/refused_bundles.hpp"

#include "common/base/counted.hpp"

namespace farlink {

void RefusedBundles::add(LinkId link, std::uint64_t bundles, std::string_view peer, TimePoint now) {
    Refused &refused = refused_[link];
    refused.events.add(bundles);
    refused.last_peer = peer;
    log(link, refused, now);
}

void RefusedBundles::handle_second(TimePoint now) {
    for (auto &[link, refused] : refused_) log(link, refused, now);
}

void RefusedBundles::log(LinkId link, Refused &refused, TimePoint now) {
    if (const auto count = refused.events.poll(now))
        log_.warn(
            "link {}: refused {} for lack of memory{}{}: the bundles of a peer that are not "
            "acknowledged yet use up `maxUnsettledBytes`, or those of all peers use up "
            "`bufferBytes`",
            link.value(), counted(*count, "bundle"),
            refused.last_peer.empty() ? "" : ", the last one from ", refused.last_peer);
}

}  // namespace farlink
