// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/outcomes/repeats_after_loss.hpp"

#include "common/bp/parse.hpp"

namespace farlink::ingress {

// Storage recognises repeats of what it has got. What was passed on is forwarded again: a changed
// route may bring it back. Between the two are the bundles that wait for a link or are on one.
void RepeatsAfterLoss::handle_upstream_closed(UpstreamId from, const UnackedCopies &copies,
                                              const NextHopQueues &queues) {
    disconnected_.forget(from);
    if (context_.upstreams.acknowledges(from)) {
        copies.for_each_of(from, [this](const WatchedBatch &watched) {
            for (std::size_t place = 0; place < watched.lent->bundles.size(); ++place)
                if (!watched.is_published(place))
                    remember(*watched.lent, place, watched.is_stored(place));
        });
        queues.for_each_waiting_of(from, [this](const Batch &batch) {
            for (std::size_t place = 0; place < batch.bundles.size(); ++place)
                remember(batch, place, false);
        });
    }
    context_.upstreams.closed(from);
}

void RepeatsAfterLoss::remember(const Batch &batch, std::size_t place, bool safe) {
    const BatchedBundle &bundle = batch.bundles[place];
    if (const auto view = bp::parse(batch.slices_of(bundle)))
        disconnected_.add(*view, bundle.arrival, safe);
}

bool RepeatsAfterLoss::absorb(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    const auto first_is_safe = disconnected_.find(view);
    if (!first_is_safe) return false;
    context_.counters.increment(IngressCounter::kDuplicatesInFlight);
    if (*first_is_safe)
        context_.acknowledge(arrival, TransferDisposition::kSafe, now);
    else if (arrival.waiting != kNoUpstream)
        disconnected_.wait(view, {arrival.waiting, arrival.transfer});
    return true;
}

void RepeatsAfterLoss::acknowledge(const std::vector<DisconnectedTransfers::Repeat> &repeats,
                                   TransferDisposition disposition, TimePoint now) {
    for (const DisconnectedTransfers::Repeat &repeat : repeats)
        context_.upstreams.acknowledge(repeat.upstream, repeat.transfer, 1, disposition, now);
}

}  // namespace farlink::ingress
