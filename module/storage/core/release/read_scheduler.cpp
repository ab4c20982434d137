// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/read_scheduler.hpp"

#include <optional>
#include <utility>

#include "common/base/endpoint_links.hpp"

namespace farlink::storage {
namespace {

constexpr std::size_t kReadBundles = kBatchBundles;

}  // namespace

/// Links take turns, so that a fast one does not starve the others of memory.
bool ReadScheduler::queue_next(TimePoint now) {
    critical_.list_all(now);
    ReleaseLinks::Map &links = links_.all();
    auto at = links.upper_bound(last_served_);
    for (std::size_t tried = 0; tried < links.size(); ++tried) {
        if (at == links.end()) at = links.begin();
        if (queue_for(at->first, at->second, now)) {
            last_served_ = at->first;
            return true;
        }
        ++at;
    }
    return false;
}

bool ReadScheduler::queue_for(LinkId id, ReleaseLink &link, TimePoint now) {
    if (link.spooled.active()) return queue_piece(id, link);
    if (!links_.is_open(link) || links_.is_full(link, now)) return false;
    if (critical_.queue_read(id, link, now)) return true;
    if (!link.critical.empty()) return false;  // no room for it now
    if (refused_.queue_read(id, link, now)) return true;
    if (!link.refused.empty()) return false;
    Fetch fetch;
    collect_flows(id, link, fetch, now);
    if (link.spooled.active()) return true;
    if (fetch.records == 0) return false;
    requests_.queue(id, link, std::move(fetch));
    return true;
}

/// Takes what the flow has whose turn it is. If that is all of it, the next flow of its priority
/// follows.
void ReadScheduler::collect_flows(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now) {
    for (std::optional<std::size_t> level;;) {
        const FlowIndex flow = flows_.next_flow(id, link);
        if (flow == kNoFlow) return;
        const auto its =
            static_cast<std::size_t>(context_.inventory.destinations().flow(flow).priority);
        if (fetch.records > 0 && level != its) return;
        level = its;
        const std::uint32_t before = fetch.records;
        const bool more = collect(id, link, flow, fetch, now);
        // A flow that was served goes to the end of the queue.
        if (more && (before == 0 || fetch.records > before))
            link.ready[its].push_back(link.ready[its].pop_front());
        if (more || fetch.alone() || link.spooled.active() || links_.is_full(link, now)) return;
    }
}

bool ReadScheduler::queue_piece(LinkId id, ReleaseLink &link) {
    if (!link.spooled.reads_on() || !links_.has_room_for_piece(link)) return false;
    requests_.queue_piece(id, link);
    return true;
}

/// Takes the flow's next bundles as far as windows and memory allow; true when more wait.
bool ReadScheduler::collect(LinkId id, ReleaseLink &link, FlowIndex index, Fetch &fetch,
                            TimePoint now) {
    Inventory &inventory = context_.inventory;
    FlowQueue &queue = inventory.destinations().flow(index).queue;
    const std::uint64_t share = flows_.share_of(id, link, index).value_or(0);
    const std::uint64_t window = links_.window_bytes(link);
    const std::uint32_t records_before = fetch.records;
    const std::uint64_t bytes_before = fetch.bytes;
    while (fetch.records < kReadBundles) {
        const EntryIndex next = flows_.next_bundle(index);
        if (next == kNoEntry) break;
        const Entry &entry = inventory.entry(next);
        // A service or application of this node gets a bundle as a whole. Ingress refuses those
        // that are too large, so this one was stored before the limits were changed.
        const bool stays_here = id == kServicesLink || is_endpoint_link(id);
        const bool too_large = entry.spooled && stays_here;
        if (too_large || context_.expired(entry.expiry, now)) {
            const bool last = queue.waiting() == 1;
            if (too_large)
                remover_.reject_large(next);
            else
                remover_.expire(next);
            if (last) return false;  // the flow itself may be gone
            continue;
        }
        // The stripes of a bundle are a fetch by themselves, and so are the fragments or a piece.
        if (fetch.alone() || (fetch.records > 0 && (entry.striped() || entry.joined))) break;
        const std::uint64_t more = context_.fragments.bytes_to_read(next);
        if (fetch.records > 0 && fetch.read_bytes + more > FetchRequests::kReadBytes) break;
        const std::uint64_t size = context_.fragments.bytes_to_lend(next);
        if (fetch.records > 0 && fetch.bytes + size > window) break;
        if (fetch.records > records_before && fetch.bytes - bytes_before + size > share) break;
        if (link.bytes > 0 && link.bytes + size > links_.most_bytes(link, now)) break;
        if (link.bundles >= links_.limits().link_bundles) break;
        const std::uint64_t pinned = context_.slabs.pinned_bytes() + fetch.read_bytes;
        if (pinned > 0 && pinned + more > links_.memory_bytes(link)) break;
        inventory.take(next);
        if (entry.spooled) {
            flows_.spend_share(id, index, entry.bytes());
            requests_.queue_spooled(id, link, next);
            break;
        }
        fetch.read_bytes += more;
        link.reserve(size);
        requests_.add(fetch, next);
    }
    if (fetch.records > records_before) flows_.spend_share(id, index, fetch.bytes - bytes_before);
    return queue.waiting() > 0;
}

}  // namespace farlink::storage
