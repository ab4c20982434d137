// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/unacked_copies.hpp"

namespace farlink::ingress {

void WatchedBatch::handle_copied(const Batch &copy) {
    copied = true;
    stored.assign(lent->bundles.size(), 0);
    // What was back when the copy was made is not in it.
    std::size_t next = 0;
    for (std::size_t place = 0; place < stored.size() && next < copy.bundles.size(); ++place) {
        if (copy.bundles[next].arrival != lent->bundles[place].arrival) continue;
        const Outcome outcome = copy.outcome_of(copy.bundles[next++]);
        if (outcome == Outcome::kStored || outcome == Outcome::kDuplicate) stored[place] = 1;
    }
}

void SafetyCopies::watch(std::size_t lane, const Batch &batch, bool at_once, TimePoint now) {
    if (lanes_.size() <= lane) lanes_.resize(lane + 1);
    Watch &watch = lanes_[lane];
    // A lane that was empty owes nothing from before.
    if (watch.batches.empty()) watch.progress = now;
    if (at_once) watch.check_at = {};
    WatchedBatch fresh;
    fresh.lent = &batch;
    fresh.sequence = batch.sequence;
    fresh.since = now;
    fresh.at_once = at_once;
    watch.batches.push_back(std::move(fresh));
}

bool SafetyCopies::is_late(std::size_t lane, TimePoint now) const {
    if (lane >= lanes_.size()) return false;
    const Watch &watch = lanes_[lane];
    const Duration limit = within(watch);
    return watch.usual >= limit ||
           (!watch.batches.empty() && now - watch.batches[0].since >= limit);
}

std::optional<WatchedBatch> SafetyCopies::take(std::size_t lane, std::uint64_t sequence,
                                               TimePoint now) {
    if (lane >= lanes_.size()) return std::nullopt;
    Watch &watch = lanes_[lane];
    watch.progress = now;
    // Batches come back in the order of their lending, but for those of a link that went down.
    for (std::size_t place = 0; place < watch.batches.size(); ++place) {
        if (watch.batches[place].sequence != sequence) continue;
        WatchedBatch found = std::move(watch.batches[place]);
        watch.usual += (now - found.since - watch.usual) / 8;
        if (place < watch.copied) --watch.copied;
        for (; place > 0; --place) watch.batches[place] = std::move(watch.batches[place - 1]);
        (void)watch.batches.pop_front();
        return found;
    }
    return std::nullopt;
}

WatchedBatch *SafetyCopies::take_part(std::size_t lane, const Batch &part, TimePoint now) {
    if (lane >= lanes_.size()) return nullptr;
    Watch &watch = lanes_[lane];
    for (std::size_t at = 0; at < watch.batches.size(); ++at) {
        WatchedBatch &found = watch.batches[at];
        if (found.sequence != part.sequence) continue;
        watch.progress = now;
        found.told.resize(part.bundles.size());
        for (std::size_t place = 0; place < part.bundles.size(); ++place)
            if (part.bundles[place].outcome != Outcome::kPending) found.told[place] = 1;
        return &found;
    }
    return nullptr;
}

void SafetyCopies::wait_for_copy(std::size_t lane, WatchedBatch watched) {
    lanes_[lane].batches.push_front(std::move(watched));
    ++lanes_[lane].copied;
}

bool SafetyCopies::waits(const Watch &watch, const WatchedBatch &batch, Upstreams &upstreams,
                         TimePoint now) const {
    const UpstreamId from = batch.lent->upstream;
    const Duration limit = within(watch);
    upstreams.learn_window(from, limit, now);
    return upstreams.stalled(from, limit, now) || now - watch.progress >= ripe_after(watch) ||
           now - batch.since >= kPatience * within_;
}

const WatchedBatch *SafetyCopies::poll_due(Upstreams &upstreams, TimePoint now) {
    for (Watch &watch : lanes_) {
        if (watch.check_at > now) continue;
        bool suspicious = false;
        for (std::size_t place = watch.copied; place < watch.batches.size(); ++place) {
            WatchedBatch &batch = watch.batches[place];
            if (batch.copy_sequence != 0) continue;
            if (!batch.at_once) {
                if (now - batch.since < ripe_after(watch)) break;
                if (!waits(watch, batch, upstreams, now)) continue;
                suspicious = true;
                if (!watch.suspected) continue;
            }
            polled_ = &batch;
            return polled_;
        }
        watch.suspected = suspicious;
        watch.check_at = now + within_ / 4;
    }
    return nullptr;
}

void SafetyCopies::copying(std::uint64_t copy_sequence) {
    FARLINK_INVARIANT(polled_ != nullptr);
    polled_->copy_sequence = copy_sequence;
    polled_ = nullptr;
    for (Watch &watch : lanes_)
        while (watch.copied < watch.batches.size() &&
               watch.batches[watch.copied].copy_sequence != 0)
            ++watch.copied;
}

SafetyCopies::Answered SafetyCopies::answered(const Batch &copy) {
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
        Watch &watch = lanes_[lane];
        for (std::size_t place = 0; place < watch.batches.size(); ++place) {
            WatchedBatch &found = watch.batches[place];
            if (found.copy_sequence != copy.sequence) continue;
            found.handle_copied(copy);
            if (found.returned == nullptr) return {lane, &found, std::nullopt};
            const TimePoint progress = watch.progress;
            Answered answer{lane, nullptr, take(lane, found.sequence, progress)};
            return answer;
        }
    }
    return {};
}

TimePoint SafetyCopies::next_timeout() const {
    TimePoint next = kNever;
    for (const Watch &watch : lanes_)
        if (watch.copied < watch.batches.size()) {
            const WatchedBatch &oldest = watch.batches[watch.copied];
            const TimePoint ripe = oldest.at_once ? oldest.since : oldest.since + ripe_after(watch);
            next = std::min(next, std::max(ripe, watch.check_at));
        }
    return next;
}

}  // namespace farlink::ingress
