// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/releaser.hpp"

#include <algorithm>
#include <utility>

#include "common/base/endpoint_links.hpp"
#include "common/bus/link_snapshot.hpp"

namespace farlink::storage {
namespace {

/// Of an endpoint of an application, which has neither a rate nor a light time.
LinkFacts facts_of(NodeNumber node, bool up) {
    LinkFacts facts;
    facts.neighbour = node;
    facts.up = up;
    return facts;
}

}  // namespace

Releaser::Releaser(StorageContext &context, Custodian &custodian, const ReleaseLimits &limits,
                   bool reports)
    : context_(context),
      links_(context, limits),
      requests_(context),
      flows_(context, links_),
      reporter_(context, requests_, reports),
      critical_(context, custodian, links_, requests_, flows_, reporter_),
      remover_(context, custodian, critical_, reporter_),
      refused_(context, links_, requests_, remover_),
      scheduler_(context, links_, requests_, flows_, critical_, refused_, remover_),
      lender_(context, custodian, links_, flows_, critical_, refused_, remover_) {}

void Releaser::handle_link(LinkId id, const LinkFacts &facts) {
    ReleaseLink &link = links_[id];
    if (!facts.up || link.neighbour != facts.neighbour) release(id, link);
    link.up = facts.up;
    if (facts.up) {
        note_limit(link, facts);
        context_.refused.look_at_all();
        link.rate = facts.rate;
        link.owlt = facts.owlt;
        link.answer_time = {};
        reopen(link);
        context_.critical.reopen(id);
    }
    if (std::exchange(link.neighbour, facts.neighbour) == facts.neighbour) return;
    context_.critical.look_at_all();
    flows_.offer_all();
}

/// The link is down, or leads elsewhere.
void Releaser::release(LinkId id, ReleaseLink &link) {
    refused_.release(link);
    lender_.break_off(id, link);
}

/// What was too large for the link may go by it now.
void Releaser::note_limit(ReleaseLink &link, const LinkFacts &facts) {
    const auto before = std::exchange(link.max_bundle_bytes, facts.max_bundle_bytes);
    const bool cut_before = std::exchange(link.fragments, facts.fragments);
    if (facts.max_bundle_bytes > before || (facts.fragments && !cut_before))
        context_.refused.end_pauses_of_size(facts.neighbour);
}

/// A contact begins, or it has another end or rate.
void Releaser::reopen(ReleaseLink &link) {
    link.lent_before = lender_.sequence();
    if (link.too_late.empty()) return;
    link.too_late.clear();
    flows_.offer_all();
}

void Releaser::handle_snapshot(const bus::LinkSnapshot &snapshot) {
    for (auto &[id, link] : links_.all()) {
        if (id == kServicesLink || is_endpoint_link(id) || bus::names(snapshot, id)) continue;
        link.up = false;
        release(id, link);
    }
    for (const bus::LinkEntry &entry : snapshot.links)
        handle_link(entry.link, {entry.neighbour, entry.planned && entry.connected, entry.rate,
                                 entry.owlt, entry.max_bundle_bytes, entry.fragments});
}

void Releaser::take_down(std::size_t carrier) {
    for (auto &[id, link] : links_.all()) {
        if (id == kServicesLink || lender_.forwarded_before().carrier_of(id) != carrier) continue;
        link.up = false;
        release(id, link);
    }
}

void Releaser::handle_endpoints(const bus::EndpointsChange &change, NodeNumber node) {
    const auto changed = context_.inventory.destinations().handle(change);
    for (const bus::EndpointEntry &each : changed)
        if (each.up || links_.contains(each.link)) handle_link(each.link, facts_of(node, each.up));
    // Where nobody receives, what waits goes on waiting.
    if (change.whole || std::ranges::any_of(changed, &bus::EndpointEntry::up)) look_at_routes();
}

void Releaser::handle_applications_lost(NodeNumber node) {
    for (const bus::EndpointEntry &each :
         context_.inventory.destinations().handle_applications_lost())
        if (links_.contains(each.link)) handle_link(each.link, facts_of(node, false));
}

void Releaser::handle_routes(const bus::RouteUpdate &update) {
    if (context_.inventory.destinations().set_routes(update)) end_rests();
    look_at_routes();
}

// What rests because it came back leaves where the plan leads again.
void Releaser::end_rests() {
    Inventory &inventory = context_.inventory;
    context_.looping.end_pauses([&inventory](std::uint64_t handle) {
        const auto index = inventory.entries().find(handle);
        return index && inventory.destinations().has_planned_route(inventory.entry(*index).flow);
    });
}

// Bundles that found no way, or another one, are offered again.
void Releaser::look_at_routes() {
    context_.critical.look_at_all();
    context_.refused.look_at_all();
    flows_.retry_set_aside();
    flows_.offer_all();
    lender_.break_off_misled();
}

void Releaser::change_policies(const config::RoutingConfig &config) {
    context_.inventory.destinations().change_policies(config);
    look_at_routes();
}

void Releaser::hold_back(NodeNumber neighbour, TimePoint until) {
    links_.hold_back(neighbour, until);
    avoid_held_back();
}

void Releaser::avoid_held_back() {
    context_.inventory.destinations().set_avoided(links_.held_back());
    flows_.offer_all();
}

TimePoint Releaser::next_timeout() const {
    return std::min(
        {context_.refused.next_timeout(), links_.next_timeout(), context_.looping.next_timeout()});
}

void Releaser::handle_timeout(TimePoint now) {
    if (links_.end_hold_backs(now)) avoid_held_back();
    refused_.place_due(now);
    for (std::size_t done = 0; done < kRestedAtOnce; ++done) {
        const auto rested = context_.looping.poll(now);
        if (!rested) return;
        const auto index = context_.inventory.entries().find(*rested);
        if (index && context_.inventory.entry(*index).state() == EntryState::kExceedsContacts)
            lender_.take_back(*index, now);
    }
}

DiskRequestPtr Releaser::poll_read(DiskIndex disk, bool more, TimePoint now) {
    const Ring<DiskRequestPtr> &reads = context_.volume(disk).reads;
    lender_.end_broken_off(now);
    if (more && reads.empty()) reporter_.queue_read();
    while (more && reads.empty() && scheduler_.queue_next(now)) {
    }
    return requests_.poll(disk);
}

void Releaser::handle_read_done(DiskIndex disk, DiskRequestPtr request, TimePoint now) {
    requests_.handle_read_done();
    if (request->tag == FetchRequests::kReportTag)
        return reporter_.handle_read_done(disk, std::move(request), now);
    lender_.handle_read_done(disk, std::move(request), now);
}

}  // namespace farlink::storage
