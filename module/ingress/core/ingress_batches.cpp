// SPDX-License-Identifier: Apache-2.0
// Batches between ingress and the modules behind it: windows, back-pressure, spilling, outcomes.
#include <algorithm>

#include "common/bus/link_snapshot.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::ingress {
namespace {

ByteView head_of(const Batch &batch, const BatchedBundle &bundle) {
    return batch.slices[bundle.first_slice].first(bundle.head_end);
}

/// Of interest to reports only, which are rare; so it is looked up, not carried along.
std::uint64_t payload_length(const Batch &batch, const BatchedBundle &bundle) {
    const auto view = bp::parse(batch.slices_of(bundle));
    return view ? view->payload_length : 0;
}

}  // namespace

void IngressCore::close_open_batches(UpstreamId from, TimePoint now) {
    for (const std::size_t index : touched_)
        for (std::size_t slot = kPriorityCount; slot-- > 0;)
            if (BatchPtr batch = std::move(lanes_[index].open[slot]))
                submit(index, std::move(batch), from, now);
    touched_.clear();
}

void IngressCore::submit(std::size_t index, BatchPtr batch, UpstreamId from, TimePoint now) {
    Lane &lane = lanes_[index];
    batch->link = lane.link;
    batch->next_hop = index == kStorageLane ? batch->sender : lane.neighbour;
    if (lane.waiting.empty() && lane.has_room() && !lane.blocked())
        return lend(lane, std::move(batch), now);
    const bool to_link = index != kStorageLane;
    if (to_link && upstreams_.mixed(from, now)) {
        // Holding this upstream would stop what can go elsewhere: only the blocked bundles spill,
        // behind those that wait already.
        spill(lane, now);
        return hand_to_storage(std::move(batch), from, now);
    }
    if (lane.waiting.empty()) lane.waiting_since = now;
    lane.wait(std::move(batch));
    if (from == kNoUpstream || !upstreams_.can_pause(from) ||
        std::ranges::find(lane.paused, from) != lane.paused.end())
        return;
    counters_.increment(IngressCounter::kPauses);
    lane.paused.push_back(from);
    upstreams_.pause(from);
}

void IngressCore::lend(Lane &lane, BatchPtr batch, TimePoint now) {
    lane.lend(*batch);
    batch->sequence = batch->number = next_batch_++;
    counters_.increment(IngressCounter::kBatches);
    if (lane.link == kNoLink) {
        batch->resumes = std::exchange(lane.resumes, false);
        counters_.add(IngressCounter::kSentToStorage, batch->bundles.size());
        messages_.push_back({bus::AgentId::kStorage, false, bus::StoreBatch{std::move(batch)}});
        return;
    }
    if (batch->upstream != kNoUpstream) {
        const auto number = static_cast<std::size_t>(&lane - lanes_.data());
        copies_.watch(number, *batch, copy_at_once(number, *batch, now), now);
    }
    messages_.push_back({bus::AgentId::kEgress, false, bus::ForwardBatch{std::move(batch)}});
}

// The next hop's acknowledgement cannot come in time, or the sender is about to run dry.
bool IngressCore::copy_at_once(std::size_t lane, const Batch &batch, TimePoint now) const {
    return 2 * lanes_[lane].light_time >= config_.acknowledge_within ||
           (upstreams_.half_used(batch.upstream) && copies_.is_late(lane, now));
}

void IngressCore::hand_to_storage(BatchPtr batch, UpstreamId from, TimePoint now) {
    for (BatchedBundle &bundle : batch->bundles) {
        bundle.outcome = Outcome::kPending;
        flows_.sent(bundle.flow);
    }
    batch->uniform = Outcome::kPending;
    batch->done = 0;
    submit(kStorageLane, std::move(batch), from, now);
}

void IngressCore::spill(Lane &lane, TimePoint now) {
    while (!lane.waiting.empty()) {
        BatchPtr batch = lane.waiting.pop_front();
        counters_.add(IngressCounter::kSpilled, batch->bundles.size());
        hand_to_storage(std::move(batch), kNoUpstream, now);
    }
    resume_paused(lane);
}

void IngressCore::resume_paused(Lane &lane) {
    for (const UpstreamId upstream : lane.paused) upstreams_.resume(upstream);
    lane.paused.clear();
}

void IngressCore::pump(Lane &lane, TimePoint now) {
    if (lane.blocked()) return;
    while (!lane.waiting.empty() && lane.has_room()) lend(lane, lane.waiting.pop_front(), now);
    if (lane.waiting.empty()) resume_paused(lane);
}

void IngressCore::handle(const bus::RouteUpdate &update, TimePoint) {
    forwarding_.handle(update);
    claimed_ = {};
}

void IngressCore::handle(const bus::LinkUp &event, TimePoint now) {
    bus::LinkEntry entry;
    entry.link = event.link;
    entry.neighbour = event.neighbour;
    entry.light_time = event.light_time;
    entry.max_bundle_bytes = event.max_bundle_bytes;
    entry.planned = entry.connected = true;
    set_link(entry, now);
}

void IngressCore::handle(const bus::LinkDown &event, TimePoint now) {
    bus::LinkEntry entry;
    entry.link = event.link;
    entry.neighbour = event.neighbour;
    set_link(entry, now);
}

void IngressCore::handle(const bus::LinkSnapshot &snapshot, TimePoint now) {
    for (const bus::LinkEntry &entry : snapshot.links) set_link(entry, now);
    for (Lane &lane : lanes_) {
        if (lane.link == kNoLink || bus::names(snapshot, lane.link)) continue;
        lane.up = false;
        spill(lane, now);
    }
}

void IngressCore::set_link(const bus::LinkEntry &entry, TimePoint now) {
    Lane *lane = lane_of(entry.link);
    if (lane == nullptr) lane = &add_lane(entry.link, entry.neighbour);
    lane->up = entry.planned && entry.connected;
    lane->neighbour = entry.neighbour;
    if (!lane->up) return spill(*lane, now);
    lane->light_time = entry.light_time;
    lane->max_bundle_bytes = entry.max_bundle_bytes;
}

void IngressCore::handle(const bus::Backlog &backlog, TimePoint) {
    flows_.handle(backlog);
}

TimePoint IngressCore::next_timeout() const {
    TimePoint next = kNever;
    for (const Lane &lane : lanes_) {
        if (lane.blocked() && lane.in_flight_bundles == 0) next = std::min(next, lane.not_before);
        if (lane.link != kNoLink && !lane.waiting.empty())
            next = std::min(next, lane.waiting_since + longest_pause_);
    }
    // While storage is busy, its next answer is when to look again.
    if (lanes_[kStorageLane].has_room() && !lanes_[kStorageLane].blocked())
        next = std::min(next, copies_.next_timeout());
    return std::min(next, services_.next_timeout());
}

void IngressCore::handle_timeout(TimePoint now) {
    resume_storage(now);
    for (Lane &lane : lanes_) {
        // The upstream has been held long enough: its bundles go to disk, and it is read again.
        if (lane.link != kNoLink && !lane.waiting.empty() &&
            lane.waiting_since + longest_pause_ <= now)
            spill(lane, now);
    }
    make_due_copies(now);
    services_.handle_timeout(clock_.dtn_at(now), now);
    originate_pending(now);
    close_open_batches(kNoUpstream, now);
}

void IngressCore::drain(TimePoint now) {
    stopping_ = true;
    if (lanes_[kStorageLane].blocked()) lanes_[kStorageLane].not_before = now;
    for (Lane &lane : lanes_)
        if (lane.link != kNoLink) spill(lane, now);
}

void IngressCore::handle(bus::BatchOutcome outcome, TimePoint now) {
    BatchPtr batch = std::move(outcome.batch);
    const LinkId link = batch->link;
    if (batch->whole != nullptr)
        take_part(std::move(batch), now);
    else
        take_batch(std::move(batch), now);
    // The outcomes may have made new lanes, so the old reference is not used any more.
    pump(link == kNoLink ? lanes_[kStorageLane] : *lane_of(link), now);
    resume_storage(now);
    originate_pending(now);
    close_open_batches(kNoUpstream, now);
    make_due_copies(now);
    send_fates();
    return_borrowed();
}

void IngressCore::take_batch(BatchPtr batch, TimePoint now) {
    Lane &lane = batch->link == kNoLink ? lanes_[kStorageLane] : *lane_of(batch->link);
    std::size_t bundles = batch->bundles.size();
    for (const BatchedBundle &bundle : batch->bundles) {
        if (batch->uniform != Outcome::kPending) break;
        if (bundle.outcome != Outcome::kTold) continue;
        batch->bytes -= bundle.size;
        --bundles;
    }
    lane.take_back(batch->bytes, bundles);
    if (batch->copy)
        settle_copy(std::move(batch), now);
    else
        settle_lent(std::move(batch), now);
}

void IngressCore::settle_lent(BatchPtr batch, TimePoint now) {
    std::optional<WatchedBatch> watched;
    const bool all_sent = batch->uniform == Outcome::kSent;
    if (batch->upstream != kNoUpstream && batch->link != kNoLink) {
        const auto lane = static_cast<std::size_t>(lane_of(batch->link) - lanes_.data());
        watched = copies_.take(lane, batch->sequence, now);
        if (watched && watched->copy_underway() && !all_sent) {
            // What was not sent may be safe on disk in a moment; that is known then.
            watched->returned = std::move(batch);
            return copies_.wait_for_copy(lane, std::move(*watched));
        }
    }
    if (all_sent)
        settle_all_sent(std::move(batch), watched, now);
    else if (watched)
        settle_each(std::move(batch), watched->stored, now);
    else
        settle_each(std::move(batch), {}, now);
}

void IngressCore::settle_all_sent(BatchPtr batch, const std::optional<WatchedBatch> &watched,
                                  TimePoint now) {
    counters_.add(IngressCounter::kCutThrough, batch->bundles.size());
    const Duration residence = now - batch->bundles.front().received;
    residence_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(residence.count(), 0)));
    if ((batch->requests & kReportForwarding) != 0)
        for (const BatchedBundle &bundle : batch->bundles) report_forwarded(*batch, bundle, now);
    if (watched && watched->copy_sequence != 0) {
        for (std::size_t place = 0; place < batch->bundles.size(); ++place) {
            const BatchedBundle &bundle = batch->bundles[place];
            fates_.push_back({bundle.arrival, bundle.flow, true});
            if (!watched->is_stored(place)) settle(batch->upstream, bundle, Settlement::kSafe, now);
        }
    } else if (batch->upstream != kNoUpstream) {
        // The bundles of a batch come in the order of their transfers, seldom with gaps.
        const std::uint32_t first = batch->bundles.front().transfer;
        const auto count = static_cast<std::uint32_t>(batch->bundles.size());
        if (batch->bundles.back().transfer - first + 1 == count)
            upstreams_.settle(batch->upstream, first, count, Settlement::kSafe, now);
        else
            for (const BatchedBundle &bundle : batch->bundles)
                settle(batch->upstream, bundle, Settlement::kSafe, now);
    }
    for (const BatchedBundle &bundle : batch->bundles) {
        if (orphans_.empty()) break;
        let_go_of_orphan(bundle, Settlement::kSafe, now);
    }
    release(batch->bundles.size(), batch->bytes);
    batches_.recycle(std::move(batch));
}

// Bundles that are not safe yet stay in the batch and go to storage; the others leave it.
void IngressCore::settle_each(BatchPtr batch, std::span<const std::uint8_t> stored, TimePoint now) {
    const bool from_storage = batch->link == kNoLink;
    bool refused = false;
    std::uint64_t kept_bytes = 0;
    std::size_t kept = 0;
    std::size_t told = 0;
    for (std::size_t place = 0; place < batch->bundles.size(); ++place) {
        const BatchedBundle &bundle = batch->bundles[place];
        const Outcome outcome = batch->outcome_of(bundle);
        if (outcome == Outcome::kTold) continue;
        ++told;
        if (from_storage) {
            const bool taken = outcome == Outcome::kStored || outcome == Outcome::kDuplicate;
            flows_.answered(bundle.flow, taken);
            if (taken) storage_retry_ = {};
        }
        const bool settled = !stored.empty() && stored[place] != 0
                                 ? settle_copied(*batch, bundle, outcome, now)
                                 : settle_one(*batch, bundle, outcome, batch->upstream, now);
        if (settled) continue;
        refused = refused || from_storage;
        kept_bytes += bundle.size;
        batch->bundles[kept++] = bundle;
    }
    release(told - kept, batch->bytes - kept_bytes);
    if (kept == 0) return batches_.recycle(std::move(batch));
    batch->bundles.resize(kept);
    batch->bytes = kept_bytes;
    if (refused) return hold(std::move(batch), now);
    Lane &lane = *lane_of(batch->link);
    hand_to_storage(std::move(batch), kNoUpstream, now);
    // What waits for the same link is younger and must not overtake.
    spill(lane, now);
}

// True when ingress may let go of the bundle. `waiting` is the session that has not heard of it.
bool IngressCore::settle_one(const Batch &batch, const BatchedBundle &bundle, Outcome outcome,
                             UpstreamId waiting, TimePoint now) {
    switch (outcome) {
        case Outcome::kSent:
            counters_.increment(IngressCounter::kCutThrough);
            if ((bundle.requests & kReportForwarding) != 0) report_forwarded(batch, bundle, now);
            settle(waiting, bundle, Settlement::kSafe, now);
            return true;
        case Outcome::kStored:
        case Outcome::kDuplicate:
            settle(waiting, bundle, Settlement::kSafe, now);
            return true;
        case Outcome::kExpired:
            counters_.increment(IngressCounter::kExpired);
            return settle_ended(batch, bundle, bp::ReportReason::kLifetimeExpired, waiting, now);
        // Egress has counted it.
        case Outcome::kDeletedHopLimit:
            return settle_ended(batch, bundle, bp::ReportReason::kHopLimitExceeded, waiting, now);
        case Outcome::kDeletedUnreadable:
            return settle_ended(batch, bundle, bp::ReportReason::kBlockUnintelligible, waiting,
                                now);
        case Outcome::kNoSpace:
            return leave_to_custodian(batch, bundle, waiting, now) ||
                   settle_without_space(batch, bundle, now);
        case Outcome::kIoError:
            return leave_to_custodian(batch, bundle, waiting, now) ||
                   refuse_upstream(batch, bundle, now);
        case Outcome::kNotSent:
        case Outcome::kTooLate:
        case Outcome::kRefused:
            return false;
        case Outcome::kPending:
        case Outcome::kTold:
            break;
    }
    FARLINK_INVARIANT(!"a batch came back without all outcomes");
    return false;
}

// The bundle is no more; nobody is to send it again.
bool IngressCore::settle_ended(const Batch &batch, const BatchedBundle &bundle,
                               bp::ReportReason reason, UpstreamId waiting, TimePoint now) {
    if ((bundle.requests & kReportDeletion) != 0)
        report(bus::ReportEvent::kDeleted, reason, head_of(batch, bundle),
               payload_length(batch, bundle), now);
    settle(waiting, bundle, Settlement::kSafe, now);
    return true;
}

// RFC 5050 section 5.4.2: a bundle whose custody is not accepted is not lost when it is dropped:
// its custodian has it, hears of the refusal from storage, or of nothing, and sends it again.
bool IngressCore::leave_to_custodian(const Batch &batch, const BatchedBundle &bundle,
                                     UpstreamId waiting, TimePoint now) {
    if ((bundle.requests & kRequestCustody) == 0 || upstreams_.patient(waiting)) return false;
    const auto view = bp::parse(batch.slices_of(bundle));
    const bool has_another = view && !view->custodian.is_null() &&
                             !(view->custodian.scheme == bp::EidScheme::kIpn &&
                               view->custodian.node_number() == config_.node);
    if (!has_another) return false;
    counters_.increment(IngressCounter::kDeletedNoResources);
    settle(waiting, bundle, Settlement::kNoResources, now);
    leave_storage_alone(now);
    return true;
}

bool IngressCore::settle_without_space(const Batch &batch, const BatchedBundle &bundle,
                                       TimePoint now) {
    if (may_be_stored(batch, bundle)) return refuse_upstream(batch, bundle, now);
    counters_.increment(IngressCounter::kDeletedNoStorageSpace);
    if ((bundle.requests & kReportDeletion) != 0)
        report(bus::ReportEvent::kDeleted, bp::ReportReason::kDepletedStorage,
               head_of(batch, bundle), payload_length(batch, bundle), now);
    settle(batch.upstream, bundle, Settlement::kNotAcceptable, now);
    return true;
}

// Storage has no room, and had none a while ago either. A sender that waits for the acknowledgement
// still has the bundle: it is told so, and its memory is free for what can go on.
bool IngressCore::refuse_upstream(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    if (batch.upstream == kNoUpstream || !batch.retried || upstreams_.patient(batch.upstream))
        return false;
    counters_.increment(IngressCounter::kDeletedNoResources);
    settle(batch.upstream, bundle, Settlement::kNoResources, now);
    return true;
}

// False for a bundle that is too large for the store even when nothing else is in it.
bool IngressCore::may_be_stored(const Batch &batch, const BatchedBundle &bundle) const {
    constexpr std::uint64_t kLabelOverhead = 32;
    const auto view = bp::parse(batch.slices_of(bundle));
    const std::uint64_t label = (view ? view->destination.name.size() : 0) + kLabelOverhead;
    return label <= kMaxLabelBytes &&
           record_bytes(label, bundle.size) <= config_.storage.largest_room_bytes();
}

void IngressCore::report_forwarded(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    report(bus::ReportEvent::kForwarded, bp::ReportReason::kNone, head_of(batch, bundle),
           payload_length(batch, bundle), now);
}

void IngressCore::release(std::uint64_t bundles, std::uint64_t bytes) {
    counters_.subtract(IngressCounter::kInFlight, bundles);
    counters_.subtract(IngressCounter::kInFlightBytes, bytes);
}

bool IngressCore::alone(const Batch &batch) {
    const Lane *lane = lane_of(batch.link);
    return lane != nullptr && lane->in_flight_bundles == batch.bundles.size();
}

std::optional<bus::Outgoing> IngressCore::poll_message() {
    if (messages_.empty()) return std::nullopt;
    std::optional<bus::Outgoing> next = messages_.pop_front();
    if (const auto *forward = std::get_if<bus::ForwardBatch>(&next->message)) {
        std::uint64_t &last = forwarded_[placement_.instance_of(forward->batch->link)];
        forwarded_before_ = std::exchange(last, forward->batch->number);
    } else if (const auto *store = std::get_if<bus::StoreBatch>(&next->message)) {
        store->batch->behind = forwarded_;
    }
    return next;
}

void IngressCore::handle_kept(LinkId link) {
    forwarded_[placement_.instance_of(link)] = forwarded_before_;
}

}  // namespace farlink::ingress
