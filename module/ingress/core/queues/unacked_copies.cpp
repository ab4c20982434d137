// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/queues/unacked_copies.hpp"

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

void UnackedCopies::watch(std::size_t queue, const Batch &batch, bool at_once, TimePoint now) {
    if (queues_.size() <= queue) queues_.resize(queue + 1);
    Watch &watch = queues_[queue];
    // The progress of an empty queue counts from now.
    if (watch.batches.empty()) watch.progress = now;
    if (at_once) watch.check_at = {};
    WatchedBatch fresh;
    fresh.lent = &batch;
    fresh.sequence = batch.sequence;
    fresh.since = now;
    fresh.at_once = at_once;
    watch.batches.push_back(std::move(fresh));
}

bool UnackedCopies::is_late(std::size_t queue, TimePoint now) const {
    if (queue >= queues_.size()) return false;
    const Watch &watch = queues_[queue];
    const Duration limit = within(watch);
    return watch.usual >= limit ||
           (!watch.batches.empty() && now - watch.batches[0].since >= limit);
}

std::optional<WatchedBatch> UnackedCopies::take(std::size_t queue, std::uint64_t sequence,
                                                TimePoint now) {
    if (queue >= queues_.size()) return std::nullopt;
    Watch &watch = queues_[queue];
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

WatchedBatch *UnackedCopies::take_part(std::size_t queue, const Batch &part, TimePoint now) {
    if (queue >= queues_.size()) return nullptr;
    Watch &watch = queues_[queue];
    for (std::size_t at = 0; at < watch.batches.size(); ++at) {
        WatchedBatch &found = watch.batches[at];
        if (found.sequence != part.sequence) continue;
        watch.progress = now;
        found.published.resize(part.bundles.size());
        for (std::size_t place = 0; place < part.bundles.size(); ++place)
            if (part.bundles[place].outcome != Outcome::kPending) found.published[place] = 1;
        return &found;
    }
    return nullptr;
}

void UnackedCopies::wait_for_copy(std::size_t queue, WatchedBatch watched) {
    queues_[queue].batches.push_front(std::move(watched));
    ++queues_[queue].copied;
}

bool UnackedCopies::waits(const Watch &watch, const WatchedBatch &batch, Upstreams &upstreams,
                          TimePoint now) const {
    const UpstreamId from = batch.lent->upstream;
    const Duration limit = within(watch);
    upstreams.learn_window(from, limit, now);
    return upstreams.stalled(from, limit, now) || now - watch.progress >= ripe_after(watch) ||
           now - batch.since >= kPatience * within_;
}

const WatchedBatch *UnackedCopies::poll_due(Upstreams &upstreams, TimePoint now) {
    for (Watch &watch : queues_) {
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

void UnackedCopies::copying(std::uint64_t copy_sequence) {
    FARLINK_INVARIANT(polled_ != nullptr);
    polled_->copy_sequence = copy_sequence;
    polled_ = nullptr;
    for (Watch &watch : queues_)
        while (watch.copied < watch.batches.size() &&
               watch.batches[watch.copied].copy_sequence != 0)
            ++watch.copied;
}

UnackedCopies::Answered UnackedCopies::answered(const Batch &copy) {
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
        Watch &watch = queues_[queue];
        for (std::size_t place = 0; place < watch.batches.size(); ++place) {
            WatchedBatch &found = watch.batches[place];
            if (found.copy_sequence != copy.sequence) continue;
            found.handle_copied(copy);
            if (found.returned == nullptr) return {queue, &found, std::nullopt};
            const TimePoint progress = watch.progress;
            Answered answer{queue, nullptr, take(queue, found.sequence, progress)};
            return answer;
        }
    }
    return {};
}

TimePoint UnackedCopies::next_timeout() const {
    TimePoint next = kNever;
    for (const Watch &watch : queues_)
        if (watch.copied < watch.batches.size()) {
            const WatchedBatch &oldest = watch.batches[watch.copied];
            const TimePoint ripe = oldest.at_once ? oldest.since : oldest.since + ripe_after(watch);
            next = std::min(next, std::max(ripe, watch.check_at));
        }
    return next;
}

}  // namespace farlink::ingress
