// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/refused_table.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// Up to a quarter more, so that bundles that were refused together do not come back together.
Duration spread(Duration pause, std::uint64_t bundle) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
    constexpr int kParts = 64;
    const auto part = static_cast<int>((bundle * kOdd) >> 58);
    return pause + pause / 4 * part / kParts;
}

}  // namespace

RefusedTable::Refuser &RefusedTable::refuser(std::uint64_t bundle, NodeNumber by) {
    std::vector<Refuser> &all = bundles_[bundle].refusers;
    const auto found = std::ranges::find(all, by, &Refuser::neighbour);
    return found != all.end() ? *found : all.emplace_back(Refuser{.neighbour = by});
}

void RefusedTable::refuse(std::uint64_t bundle, NodeNumber by, bool too_large, TimePoint now) {
    Refuser &from = refuser(bundle, by);
    set_too_large(bundles_.at(bundle), too_large);
    from.pause = std::clamp<Duration>(2 * from.pause, kFirstPause, kLongestPause);
    from.until = now + spread(from.pause, bundle);
    from.by_size = too_large;
    last_refuser_[too_large ? 1 : 0] = by;
}

void RefusedTable::set_too_large(Bundle &bundle, bool too_large) {
    if (std::exchange(bundle.too_large, too_large) == too_large) return;
    too_large ? ++too_large_ : --too_large_;
}

void RefusedTable::rest(std::uint64_t bundle, NodeNumber by, TimePoint now) {
    Refuser &from = refuser(bundle, by);
    from.until = std::max(from.until, now + kFirstPause);
}

bool RefusedTable::keeps_from(std::uint64_t bundle, NodeNumber neighbour, TimePoint now) const {
    const auto found = bundles_.find(bundle);
    return found != bundles_.end() &&
           std::ranges::any_of(found->second.refusers, [&](const Refuser &each) {
               return each.neighbour == neighbour && each.until > now;
           });
}

TimePoint RefusedTable::next_try(std::uint64_t bundle, TimePoint now) const {
    TimePoint next = kNever;
    if (const auto found = bundles_.find(bundle); found != bundles_.end())
        for (const Refuser &each : found->second.refusers)
            if (each.until > now) next = std::min(next, each.until);
    return next;
}

void RefusedTable::stop_waiting(std::uint64_t name, Bundle &bundle) {
    if (bundle.due != kNever) waiting_.erase({bundle.due, name});
    bundle.due = kNever;
}

void RefusedTable::wait(std::uint64_t bundle, TimePoint until) {
    const auto found = bundles_.find(bundle);
    if (found == bundles_.end()) return;
    stop_waiting(bundle, found->second);
    found->second.link = kNoLink;
    found->second.due = until;
    if (until != kNever) waiting_.emplace(until, bundle);
}

void RefusedTable::send_by(std::uint64_t bundle, LinkId link, NodeNumber to) {
    const auto found = bundles_.find(bundle);
    if (found == bundles_.end()) return;
    stop_waiting(bundle, found->second);
    found->second.link = link;
    found->second.to = to;
}

bool RefusedTable::goes_by(std::uint64_t bundle, LinkId link, NodeNumber to) const {
    if (bundles_.empty()) return false;
    const auto found = bundles_.find(bundle);
    return found != bundles_.end() && found->second.link == link && found->second.to == to;
}

void RefusedTable::look_at_all() {
    for (auto &[name, bundle] : bundles_)
        if (bundle.link == kNoLink) wait(name, TimePoint{});
}

void RefusedTable::end_pauses_of_size(NodeNumber neighbour) {
    for (auto &[name, bundle] : bundles_)
        for (Refuser &each : bundle.refusers)
            if (each.by_size && each.neighbour == neighbour) each.until = TimePoint{};
}

std::uint64_t RefusedTable::poll_due(TimePoint now) {
    if (next_timeout() > now) return 0;
    const std::uint64_t name = waiting_.begin()->second;
    stop_waiting(name, bundles_.at(name));
    return name;
}

void RefusedTable::forget(std::uint64_t bundle) {
    const auto found = bundles_.find(bundle);
    if (found == bundles_.end()) return;
    stop_waiting(bundle, found->second);
    set_too_large(found->second, false);
    bundles_.erase(found);
}

}  // namespace farlink::storage
