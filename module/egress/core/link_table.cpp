// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/link_table.hpp"

#include <algorithm>
#include <utility>

namespace farlink::egress {

void LinkTable::add(LinkId id, NodeNumber neighbour, const OutductTraits &traits) {
    const auto [place, fresh] = places_.try_emplace(id, links_.size());
    if (fresh) links_.emplace_back();
    EgressLink &link = links_[place->second];
    link.id = id;
    link.neighbour = neighbour;
    link.removed = false;
    link.queue.set_stored_share(traits.stored_share_percent);
    link.volume.set_limit(traits.rate_limit);
    link.needs_answers = traits.needs_answers;
    link.fragment = traits.fragment;
    link.fragment_above_bytes = traits.fragment_above_bytes;
    link.fragment_to_contact = traits.fragment && traits.fragment_to_contact;
    update_cut_above(link);
    link.editor.reset();
    if (const auto own = bp::Eid::parse(traits.node_id)) link.editor.emplace(own->view());
}

void LinkTable::set_fragment_above(std::uint64_t bytes) {
    fragment_above_bytes_ = bytes;
    for (EgressLink &link : links_) update_cut_above(link);
}

void LinkTable::set_max_bundle_bytes(EgressLink &link, std::uint64_t bytes) {
    link.max_bundle_bytes = bytes;
    update_cut_above(link);
}

void LinkTable::update_cut_above(EgressLink &link) const {
    constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
    const auto limit = [](std::uint64_t configured) {
        return configured == 0 ? kNoLimit : configured;
    };
    link.cut_above = kNoLimit;
    if (link.fragment)
        link.cut_above = std::min({link.max_bundle_bytes, limit(link.fragment_above_bytes),
                                   limit(fragment_above_bytes_)});
}

EgressLink *LinkTable::find(LinkId id) {
    const auto place = places_.find(id);
    return place == places_.end() ? nullptr : &links_[place->second];
}

void LinkTable::mark_ready(EgressLink &link) {
    if (std::exchange(link.ready, true)) return;
    ready_.push_back(static_cast<std::size_t>(places_.at(link.id)));
}

std::optional<LinkId> LinkTable::poll_ready() {
    if (ready_.empty()) return std::nullopt;
    EgressLink &link = links_[ready_.pop_front()];
    link.ready = false;
    return link.id;
}

std::uint64_t LinkTable::queued_bytes(LinkId id) const {
    const auto place = places_.find(id);
    return place == places_.end() ? 0 : links_[place->second].queue.bytes();
}

void LinkTable::count_queued(EgressLink &link, const Batch &batch) {
    telemetry::LinkCounters &counts = tally(link);
    counts.add(LinkCounter::kQueued, batch.bundles.size());
    counts.add(LinkCounter::kQueuedBytes, batch.bytes);
}

void LinkTable::count_sent(EgressLink &link, std::uint64_t bundles, std::uint64_t bytes) {
    telemetry::LinkCounters &counts = tally(link);
    counts.add(LinkCounter::kSent, bundles);
    counts.add(LinkCounter::kSentBytes, bytes);
}

void LinkTable::count_received(LinkId id, std::uint64_t bundles, std::uint64_t bytes) {
    EgressLink *link = find(id);
    if (link == nullptr || link->removed) return;
    telemetry::LinkCounters &counts = tally(*link);
    counts.add(LinkCounter::kReceived, bundles);
    counts.add(LinkCounter::kReceivedBytes, bytes);
}

void LinkTable::count_refused(LinkId id, std::uint64_t bundles) {
    EgressLink *link = find(id);
    if (link != nullptr && !link->removed) tally(*link).add(LinkCounter::kRefused, bundles);
}

void LinkTable::forget_counts(LinkId id) {
    if (EgressLink *link = find(id); link != nullptr) link->tally = nullptr;
    tallies_.forget(id);
}

}  // namespace farlink::egress
