// SPDX-License-Identifier: Apache-2.0
// Bundles that a sender repeats after a lost session, while their first copy is on its way.
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::ingress {

// What goes to storage is recognised there; what was passed on is forwarded again (a re-route may
// bring it back). Between the two are the bundles that wait for a link or are on it.
void IngressCore::handle_upstream_closed(UpstreamId from) {
    disconnected_.forget(from);
    if (upstreams_.acknowledges(from)) {
        copies_.for_each_of(from, [this](const WatchedBatch &watched) {
            for (std::size_t place = 0; place < watched.lent->bundles.size(); ++place)
                if (!watched.is_published(place))
                    add_orphan(*watched.lent, place, watched.is_stored(place));
        });
        for (const OutputQueue &queue : queues_)
            for (std::size_t at = 0; queue.link != kNoLink && at < queue.waiting.size(); ++at)
                if (const Batch &batch = *queue.waiting[at]; batch.upstream == from)
                    for (std::size_t place = 0; place < batch.bundles.size(); ++place)
                        add_orphan(batch, place, false);
    }
    upstreams_.closed(from);
}

void IngressCore::add_orphan(const Batch &batch, std::size_t place, bool safe) {
    const BatchedBundle &bundle = batch.bundles[place];
    if (const auto view = bp::parse(batch.slices_of(bundle)))
        disconnected_.add(*view, bundle.arrival, safe);
}

// True when the first copy is still here: the sender hears of this one when that one is safe.
bool IngressCore::repeats(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    const auto first_is_safe = disconnected_.find(view);
    if (!first_is_safe) return false;
    counters_.increment(IngressCounter::kDuplicatesInFlight);
    if (*first_is_safe)
        acknowledge(arrival, TransferDisposition::kSafe, now);
    else if (arrival.waiting != kNoUpstream)
        disconnected_.wait(view, {arrival.waiting, arrival.transfer});
    return true;
}

void IngressCore::acknowledge_repeats(const std::vector<DisconnectedTransfers::Repeat> &repeats,
                                      TransferDisposition disposition, TimePoint now) {
    for (const DisconnectedTransfers::Repeat &repeat : repeats)
        upstreams_.acknowledge(repeat.upstream, repeat.transfer, 1, disposition, now);
}

}  // namespace farlink::ingress
