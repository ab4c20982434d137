// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/ready_flows.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// A flow without a share left goes by its first way, until the router has laid it out anew.
bool all_spent(std::span<const Way> ways) {
    return ways.size() == 1 ||
           std::ranges::all_of(ways, [](const Way &way) { return way.share_bytes == 0; });
}

}  // namespace

void ReadyFlows::offer(FlowIndex index) {
    if (next_bundle(index) == kNoEntry) return;
    Flow &flow = context_.inventory.destinations().flow(index);
    for (const Way &way : context_.inventory.destinations().ways(index)) {
        ReleaseLink &link = links_[way.link];
        if (flow.listed_on.contains(way.link) || link.too_late.contains(flow.key)) continue;
        flow.listed_on.push_back(way.link);
        link.ready[static_cast<std::size_t>(flow.priority)].push_back(index);
    }
}

void ReadyFlows::offer_all() {
    context_.inventory.destinations().for_each_flow([this](FlowIndex flow) { offer(flow); });
}

EntryIndex ReadyFlows::next_bundle(FlowIndex flow) {
    Inventory &inventory = context_.inventory;
    const std::uint64_t limit = inventory.destinations().max_bundle_bytes(flow);
    for (;;) {
        const EntryIndex next =
            inventory.destinations().flow(flow).queue.first_waiting(inventory.entries());
        if (next == kNoEntry || inventory.entry(next).bytes() <= limit ||
            may_leave_in_parts(next, limit))
            return next;
        inventory.take(next);
        inventory.set_aside(next);
        context_.exceeding.insert(inventory.entries().handle_of(next));
        context_.count_exceeding();
    }
}

/// It is larger than every contact, but only its rest, or a part of it, must fit the next one.
bool ReadyFlows::may_leave_in_parts(EntryIndex index, std::uint64_t limit) {
    const Entry &entry = context_.inventory.entry(index);
    const std::uint64_t bundle = context_.inventory.entries().handle_of(index);
    if (entry.spooled) return false;
    if (entry.bytes() - context_.cut.sent(bundle) <= limit) return true;
    return context_.inventory.destinations().cuts_to_contact(entry.flow) &&
           context_.cut.may_leave_in_parts(bundle);
}

void ReadyFlows::retry_set_aside() {
    Inventory &inventory = context_.inventory;
    std::erase_if(context_.exceeding, [&](std::uint64_t handle) {
        const auto index = inventory.entries().find(handle);
        if (!index || inventory.entry(*index).state() != EntryState::kExceedsContacts) return true;
        const Entry &entry = inventory.entry(*index);
        const std::uint64_t limit = inventory.destinations().max_bundle_bytes(entry.flow);
        if (entry.bytes() > limit && !may_leave_in_parts(*index, limit)) return false;
        inventory.give_back(*index);
        return true;
    });
    context_.count_exceeding();
}

FlowIndex ReadyFlows::next_flow(LinkId id, ReleaseLink &link) {
    for (std::size_t priority = kPriorityCount; priority-- > 0;) {
        Ring<FlowIndex> &ready = link.ready[priority];
        while (!ready.empty()) {
            const FlowIndex index = ready.front();
            Flow &flow = context_.inventory.destinations().flow(index);
            const bool listed = flow.listed_on.contains(id);
            if (listed && flow.queue.waiting() > 0 && share_of(id, link, index).value_or(0) > 0 &&
                !link.too_late.contains(flow.key))
                return index;
            if (listed) flow.listed_on.erase(id);
            ready.pop_front();
        }
    }
    return kNoFlow;
}

/// A link may have another neighbour than the one that the router has laid the flow onto.
std::optional<std::uint64_t> ReadyFlows::share_of(LinkId id, const ReleaseLink &link,
                                                  FlowIndex flow) const {
    const std::span<const Way> ways = context_.inventory.destinations().ways(flow);
    for (std::size_t at = 0; at < ways.size(); ++at)
        if (ways[at].link == id && ways[at].node == link.neighbour)
            return at == 0 && all_spent(ways) ? bus::kAnyBytes : ways[at].share_bytes;
    return std::nullopt;
}

void ReadyFlows::spend_share(LinkId id, FlowIndex flow, std::uint64_t bytes) {
    for (Way &way : context_.inventory.destinations().ways(flow))
        if (way.link == id) way.share_bytes -= std::min(way.share_bytes, bytes);
}

}  // namespace farlink::storage
