// SPDX-License-Identifier: Apache-2.0
// What egress counts of each link.
#include "module/egress/core/egress_core.hpp"

namespace farlink::egress {

telemetry::LinkCounters &EgressCore::tally(Link &link) {
    if (link.tally == nullptr) link.tally = &tallies_.entry(link.id);
    return tallies_.change(*link.tally);
}

void EgressCore::count_sent(Link &link, std::uint64_t bundles, std::uint64_t bytes) {
    telemetry::LinkCounters &counts = tally(link);
    counts.add(LinkCounter::kSent, bundles);
    counts.add(LinkCounter::kSentBytes, bytes);
}

void EgressCore::count_received(LinkId id, std::uint64_t bundles, std::uint64_t bytes) {
    Link *link = find(id);
    if (link == nullptr || link->removed) return;
    telemetry::LinkCounters &counts = tally(*link);
    counts.add(LinkCounter::kReceived, bundles);
    counts.add(LinkCounter::kReceivedBytes, bytes);
}

void EgressCore::count_refused(LinkId id, std::uint64_t bundles) {
    Link *link = find(id);
    if (link != nullptr && !link->removed) tally(*link).add(LinkCounter::kRefused, bundles);
}

void EgressCore::forget_counts(LinkId id) {
    if (Link *link = find(id); link != nullptr) link->tally = nullptr;
    tallies_.forget(id);
}

}  // namespace farlink::egress
