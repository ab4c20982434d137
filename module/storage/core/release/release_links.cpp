// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/release/release_links.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// Assumed of a link that has not answered yet; nearly all links answer sooner.
constexpr Duration kLikelyAnswerTime = seconds(4);

}  // namespace

ReleaseLimits release_limits(const config::NodeConfig &config) {
    ReleaseLimits limits;
    limits.memory_bytes = std::max(limits.memory_bytes, config.buffer_bytes);
    for (const config::OutductConfig &outduct : config.outducts) {
        limits.link_bytes = std::max(limits.link_bytes, outduct.max_in_flight_bytes);
        limits.link_bundles = std::max(limits.link_bundles, outduct.max_in_flight_bundles);
    }
    return limits;
}

bool ReleaseLinks::leads_to(LinkId id, NodeNumber neighbour) const {
    const auto found = links_.find(id);
    return found != links_.end() && found->second.neighbour == neighbour && is_open(found->second);
}

/// A link that its contact paces gets what it sends in two seconds and until the acknowledgements
/// come, by the plan or by experience. The rest stays in storage, where it can still take another
/// route. An application may take nothing for long, and what it has is memory that others need.
std::uint64_t ReleaseLinks::window_bytes(const ReleaseLink &link) const {
    if (link.is_endpoint) return limits_.endpoint_bytes;
    if (link.rate.value() == 0) return limits_.link_bytes;
    const Duration answer = link.answer_time.shortest().value_or(kLikelyAnswerTime);
    const Duration time = seconds(2) + std::max(4 * link.owlt, answer);
    const double bytes =
        static_cast<double>(link.rate.value()) / 8 * std::chrono::duration<double>(time).count();
    if (bytes >= static_cast<double>(limits_.link_bytes)) return limits_.link_bytes;
    return std::max<std::uint64_t>(static_cast<std::uint64_t>(bytes), kBatchBytes);
}

bool ReleaseLinks::has_room_for(const ReleaseLink &link, EntryIndex index, TimePoint now) const {
    const std::uint64_t size = context_.fragments.bytes_to_lend(index);
    const std::uint64_t pinned = context_.slabs.pinned_bytes();
    if (link.bytes > 0 && link.bytes + size > most_bytes(link, now)) return false;
    return pinned == 0 || pinned + context_.fragments.bytes_to_read(index) <= memory_bytes(link);
}

bool ReleaseLinks::has_room_for_piece(const ReleaseLink &link) const {
    const auto whole = context_.inventory.entries().find(link.spooled.bundle());
    FARLINK_INVARIANT(whole.has_value());
    const EntryIndex piece = context_.fragments.piece_at(*whole, link.spooled.next());
    const std::uint64_t size = context_.inventory.entries()[piece].size;
    // Over a light time, pieces come back as late as bundles do.
    const std::uint64_t window = link.owlt > Duration::zero()
                                     ? window_bytes(link)
                                     : std::min(SpooledRelease::kWindowBytes, window_bytes(link));
    if (!link.spooled.has_room_for(size, window)) return false;
    const std::uint64_t pinned = context_.slabs.pinned_bytes();
    return pinned == 0 ||
           pinned + context_.inventory.record_bytes_of(piece) <= limits_.memory_bytes;
}

bool ReleaseLinks::end_hold_backs(TimePoint now) {
    const auto over = [now](const auto &each) { return each.second <= now; };
    return std::erase_if(held_back_, over) > 0;
}

std::vector<NodeNumber> ReleaseLinks::held_back() const {
    std::vector<NodeNumber> neighbours;
    for (const auto &[neighbour, until] : held_back_) neighbours.push_back(neighbour);
    return neighbours;
}

TimePoint ReleaseLinks::next_timeout() const {
    TimePoint next = kNever;
    for (const auto &[neighbour, until] : held_back_) next = std::min(next, until);
    return next;
}

}  // namespace farlink::storage
