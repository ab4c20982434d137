// SPDX-License-Identifier: Apache-2.0
// How batches get back from egress to their owners: whole, or with what is known of them first.
#include <algorithm>
#include <utility>

#include "common/buffer/batch_part.hpp"
#include "module/egress/core/egress_core.hpp"

namespace farlink::egress {

void EgressCore::return_unsent(Link &link) {
    while (!link.served.empty()) {
        const BatchPtr &batch = link.served.front().batch;
        for (BatchedBundle &bundle : batch->bundles)
            if (bundle.outcome == Outcome::kPending) set_outcome(*batch, bundle, Outcome::kNotSent);
        give_back(&link, link.served.pop_front());
    }
    return_queue(link);
}

// What is not on the link yet.
void EgressCore::return_queue(Link &link) {
    if (!link.served.empty()) {
        Served &last = link.served.back();
        Batch &batch = *last.batch;
        for (; last.rendered < batch.bundles.size(); ++last.rendered)
            set_outcome(batch, batch.bundles[last.rendered], Outcome::kNotSent);
        finish_rendering(link);
    }
    while (!link.queue.empty()) return_whole(&link, link.queue.pop());
}

void EgressCore::return_whole(Link *link, BatchPtr batch) {
    counters_.add(EgressCounter::kLinkDownReturns, batch->bundles.size());
    batch->uniform = Outcome::kNotSent;
    give_back(link, {.batch = std::move(batch)});
}

// Gives back the batches, oldest first, whose bundles all have their outcome.
void EgressCore::retire(Link &link) {
    while (!link.served.empty() &&
           link.served.front().batch->done == link.served.front().batch->bundles.size())
        give_back(&link, link.served.pop_front());
}

// The youngest batch has been gone through, or something of it was refused since. Bundles of it
// that do not leave have no need to wait for the acknowledgements of the others, which may take
// many minutes.
void EgressCore::finish_rendering(Link &link) {
    if (link.served.empty()) return;
    Served &last = link.served.back();
    Batch &batch = *last.batch;
    if (last.gone_through || last.rendered < batch.bundles.size()) return;
    last.gone_through = true;
    if (batch.done == 0 || batch.uniform != Outcome::kPending) return;
    if (batch.done == batch.bundles.size()) return give_back(&link, link.served.pop_back());
    const auto has_not_left = [](const BatchedBundle &bundle) {
        return is_kept(bundle.outcome) || is_deleted(bundle.outcome) ||
               bundle.outcome == Outcome::kExpired;
    };
    if (std::ranges::none_of(batch.bundles, has_not_left)) return;
    BatchPtr part = make_part(batch, [&](std::size_t place) {
        const BatchedBundle &bundle = batch.bundles[place];
        return has_not_left(bundle) ? bundle.outcome : Outcome::kPending;
    });
    const std::uint64_t published = part->done;
    const std::uint64_t bytes = part->bytes;
    last.published += published;
    last.published_bytes += bytes;
    send_back(&link, std::move(part), published, bytes);
}

void EgressCore::give_back(Link *link, Served served) {
    const std::uint64_t bundles = served.batch->bundles.size() - served.published;
    const std::uint64_t bytes = served.batch->bytes - served.published_bytes;
    send_back(link, std::move(served.batch), bundles, bytes);
}

void EgressCore::send_back(Link *link, BatchPtr batch, std::uint64_t bundles, std::uint64_t bytes) {
    counters_.subtract(EgressCounter::kQueued, bundles);
    counters_.subtract(EgressCounter::kQueuedBytes, bytes);
    if (link != nullptr) {
        telemetry::LinkCounters &counts = tally(*link);
        counts.subtract(LinkCounter::kQueued, bundles);
        counts.subtract(LinkCounter::kQueuedBytes, bytes);
    }
    const auto owner =
        batch->owner == BatchOwner::kIngress ? bus::AgentId::kIngress : bus::AgentId::kStorage;
    messages_.push_back({owner, false, bus::BatchOutcome{std::move(batch)}});
}

}  // namespace farlink::egress
