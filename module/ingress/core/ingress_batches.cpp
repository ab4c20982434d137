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
            if (BatchPtr batch = std::move(queues_[index].open[slot]))
                submit(index, std::move(batch), from, now);
    touched_.clear();
}

void IngressCore::submit(std::size_t index, BatchPtr batch, UpstreamId from, TimePoint now) {
    OutputQueue &queue = queues_[index];
    batch->link = queue.link;
    batch->next_hop = index == kStorageQueue ? batch->sender : queue.neighbour;
    if (queue.waiting.empty() && queue.has_room() && !queue.blocked())
        return lend(queue, std::move(batch), now);
    const bool to_link = index != kStorageQueue;
    if (to_link && upstreams_.mixed(from, now)) {
        // Holding this upstream would stop what can go elsewhere: only the blocked bundles spill,
        // behind those that wait already.
        spill(queue, now);
        return hand_to_storage(std::move(batch), from, now);
    }
    if (queue.waiting.empty()) queue.waiting_since = now;
    queue.wait(std::move(batch));
    if (from == kNoUpstream || !upstreams_.can_pause(from) ||
        std::ranges::find(queue.paused, from) != queue.paused.end())
        return;
    counters_.increment(IngressCounter::kPauses);
    queue.paused.push_back(from);
    upstreams_.pause(from);
}

void IngressCore::lend(OutputQueue &queue, BatchPtr batch, TimePoint now) {
    queue.lend(*batch);
    batch->sequence = batch->number = next_batch_++;
    counters_.increment(IngressCounter::kBatches);
    if (queue.link == kNoLink) {
        batch->resumes = std::exchange(queue.resumes, false);
        counters_.add(IngressCounter::kSentToStorage, batch->bundles.size());
        messages_.push_back({bus::AgentId::kStorage, false, bus::StoreBatch{std::move(batch)}});
        return;
    }
    if (batch->upstream != kNoUpstream) {
        const auto number = static_cast<std::size_t>(&queue - queues_.data());
        copies_.watch(number, *batch, copy_at_once(number, *batch, now), now);
    }
    messages_.push_back({bus::AgentId::kEgress, false, bus::ForwardBatch{std::move(batch)}});
}

// The next hop's acknowledgement cannot come in time, or the sender is about to run dry.
bool IngressCore::copy_at_once(std::size_t queue, const Batch &batch, TimePoint now) const {
    return 2 * queues_[queue].owlt >= config_.acknowledge_within ||
           (upstreams_.half_used(batch.upstream) && copies_.is_late(queue, now));
}

void IngressCore::hand_to_storage(BatchPtr batch, UpstreamId from, TimePoint now) {
    for (BatchedBundle &bundle : batch->bundles) {
        bundle.outcome = Outcome::kPending;
        flows_.sent(bundle.flow);
    }
    batch->uniform = Outcome::kPending;
    batch->done = 0;
    submit(kStorageQueue, std::move(batch), from, now);
}

void IngressCore::spill(OutputQueue &queue, TimePoint now) {
    while (!queue.waiting.empty()) {
        BatchPtr batch = queue.waiting.pop_front();
        counters_.add(IngressCounter::kSpilled, batch->bundles.size());
        hand_to_storage(std::move(batch), kNoUpstream, now);
    }
    resume_paused(queue);
}

void IngressCore::resume_paused(OutputQueue &queue) {
    for (const UpstreamId upstream : queue.paused) upstreams_.resume(upstream);
    queue.paused.clear();
}

void IngressCore::pump(OutputQueue &queue, TimePoint now) {
    if (queue.blocked()) return;
    while (!queue.waiting.empty() && queue.has_room()) lend(queue, queue.waiting.pop_front(), now);
    if (queue.waiting.empty()) resume_paused(queue);
}

void IngressCore::handle(const bus::RouteUpdate &update, TimePoint) {
    forwarding_.handle(update);
    claimed_ = {};
}

void IngressCore::handle(const bus::LinkUp &event, TimePoint now) {
    bus::LinkEntry entry;
    entry.link = event.link;
    entry.neighbour = event.neighbour;
    entry.owlt = event.owlt;
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
    for (OutputQueue &queue : queues_) {
        if (queue.link == kNoLink || bus::names(snapshot, queue.link)) continue;
        queue.up = false;
        spill(queue, now);
    }
}

void IngressCore::set_link(const bus::LinkEntry &entry, TimePoint now) {
    OutputQueue *queue = queue_of(entry.link);
    if (queue == nullptr) queue = &add_queue(entry.link, entry.neighbour);
    queue->up = entry.planned && entry.connected;
    queue->neighbour = entry.neighbour;
    if (!queue->up) return spill(*queue, now);
    queue->owlt = entry.owlt;
    queue->max_bundle_bytes = entry.max_bundle_bytes;
}

void IngressCore::handle(const bus::Backlog &backlog, TimePoint) {
    flows_.handle(backlog);
}

TimePoint IngressCore::next_timeout() const {
    TimePoint next = kNever;
    for (const OutputQueue &queue : queues_) {
        if (queue.blocked() && queue.in_flight_bundles == 0)
            next = std::min(next, queue.not_before);
        if (queue.link != kNoLink && !queue.waiting.empty())
            next = std::min(next, queue.waiting_since + longest_pause_);
    }
    // While storage is busy, its next answer is when to look again.
    if (queues_[kStorageQueue].has_room() && !queues_[kStorageQueue].blocked())
        next = std::min(next, copies_.next_timeout());
    return std::min(next, services_.next_timeout());
}

void IngressCore::handle_timeout(TimePoint now) {
    resume_storage(now);
    for (OutputQueue &queue : queues_) {
        // The upstream has been held long enough: its bundles go to disk, and it is read again.
        if (queue.link != kNoLink && !queue.waiting.empty() &&
            queue.waiting_since + longest_pause_ <= now)
            spill(queue, now);
    }
    make_due_copies(now);
    services_.handle_timeout(clock_.dtn_at(now), now);
    originate_pending(now);
    close_open_batches(kNoUpstream, now);
}

void IngressCore::drain(TimePoint now) {
    stopping_ = true;
    if (queues_[kStorageQueue].blocked()) queues_[kStorageQueue].not_before = now;
    for (OutputQueue &queue : queues_)
        if (queue.link != kNoLink) spill(queue, now);
}

void IngressCore::handle(bus::BatchOutcome outcome, TimePoint now) {
    BatchPtr batch = std::move(outcome.batch);
    const LinkId link = batch->link;
    if (batch->whole != nullptr)
        take_part(std::move(batch), now);
    else
        take_batch(std::move(batch), now);
    // The outcomes may have made new lanes, so the old reference is not used any more.
    pump(link == kNoLink ? queues_[kStorageQueue] : *queue_of(link), now);
    resume_storage(now);
    originate_pending(now);
    close_open_batches(kNoUpstream, now);
    make_due_copies(now);
    send_fates();
    return_borrowed();
}

void IngressCore::take_batch(BatchPtr batch, TimePoint now) {
    OutputQueue &queue = batch->link == kNoLink ? queues_[kStorageQueue] : *queue_of(batch->link);
    std::size_t bundles = batch->bundles.size();
    for (const BatchedBundle &bundle : batch->bundles) {
        if (batch->uniform != Outcome::kPending) break;
        if (bundle.outcome != Outcome::kReturnedEarly) continue;
        batch->bytes -= bundle.size;
        --bundles;
    }
    queue.take_back(batch->bytes, bundles);
    if (batch->copy)
        set_copy_outcome(std::move(batch), now);
    else
        take_back(std::move(batch), now);
}

void IngressCore::take_back(BatchPtr batch, TimePoint now) {
    std::optional<WatchedBatch> watched;
    const bool all_sent = batch->uniform == Outcome::kSent;
    if (batch->upstream != kNoUpstream && batch->link != kNoLink) {
        const auto queue = static_cast<std::size_t>(queue_of(batch->link) - queues_.data());
        watched = copies_.take(queue, batch->sequence, now);
        if (watched && watched->copy_underway() && !all_sent) {
            // What was not sent may be safe on disk in a moment; that is known then.
            watched->returned = std::move(batch);
            return copies_.wait_for_copy(queue, std::move(*watched));
        }
    }
    if (all_sent)
        set_all_sent(std::move(batch), watched, now);
    else if (watched)
        set_each_outcome(std::move(batch), watched->stored, now);
    else
        set_each_outcome(std::move(batch), {}, now);
}

void IngressCore::set_all_sent(BatchPtr batch, const std::optional<WatchedBatch> &watched,
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
            if (!watched->is_stored(place))
                acknowledge(batch->upstream, bundle, TransferDisposition::kSafe, now);
        }
    } else if (batch->upstream != kNoUpstream) {
        // The bundles of a batch come in the order of their transfers, seldom with gaps.
        const std::uint32_t first = batch->bundles.front().transfer;
        const auto count = static_cast<std::uint32_t>(batch->bundles.size());
        if (batch->bundles.back().transfer - first + 1 == count)
            upstreams_.acknowledge(batch->upstream, first, count, TransferDisposition::kSafe, now);
        else
            for (const BatchedBundle &bundle : batch->bundles)
                acknowledge(batch->upstream, bundle, TransferDisposition::kSafe, now);
    }
    for (const BatchedBundle &bundle : batch->bundles) {
        if (disconnected_.empty()) break;
        let_go_of_orphan(bundle, TransferDisposition::kSafe, now);
    }
    release(batch->bundles.size(), batch->bytes);
    batches_.recycle(std::move(batch));
}

// Bundles that are not safe yet stay in the batch and go to storage; the others leave it.
void IngressCore::set_each_outcome(BatchPtr batch, std::span<const std::uint8_t> stored,
                                   TimePoint now) {
    const bool from_storage = batch->link == kNoLink;
    bool refused = false;
    std::uint64_t kept_bytes = 0;
    std::size_t kept = 0;
    std::size_t published = 0;
    for (std::size_t place = 0; place < batch->bundles.size(); ++place) {
        const BatchedBundle &bundle = batch->bundles[place];
        const Outcome outcome = batch->outcome_of(bundle);
        if (outcome == Outcome::kReturnedEarly) continue;
        ++published;
        if (from_storage) {
            const bool taken = outcome == Outcome::kStored || outcome == Outcome::kDuplicate;
            flows_.answered(bundle.flow, taken);
            if (taken) storage_retry_ = {};
        }
        const bool edited = !stored.empty() && stored[place] != 0
                                ? set_copied_outcome(*batch, bundle, outcome, now)
                                : set_bundle_outcome(*batch, bundle, outcome, batch->upstream, now);
        if (edited) continue;
        refused = refused || from_storage;
        kept_bytes += bundle.size;
        batch->bundles[kept++] = bundle;
    }
    release(published - kept, batch->bytes - kept_bytes);
    if (kept == 0) return batches_.recycle(std::move(batch));
    batch->bundles.resize(kept);
    batch->bytes = kept_bytes;
    if (refused) return hold(std::move(batch), now);
    OutputQueue &queue = *queue_of(batch->link);
    hand_to_storage(std::move(batch), kNoUpstream, now);
    // What waits for the same link is younger and must not overtake.
    spill(queue, now);
}

// True when ingress may let go of the bundle. `waiting` is the session that has not heard of it.
bool IngressCore::set_bundle_outcome(const Batch &batch, const BatchedBundle &bundle,
                                     Outcome outcome, UpstreamId waiting, TimePoint now) {
    switch (outcome) {
        case Outcome::kSent:
            counters_.increment(IngressCounter::kCutThrough);
            if ((bundle.requests & kReportForwarding) != 0) report_forwarded(batch, bundle, now);
            acknowledge(waiting, bundle, TransferDisposition::kSafe, now);
            return true;
        case Outcome::kStored:
        case Outcome::kDuplicate:
            acknowledge(waiting, bundle, TransferDisposition::kSafe, now);
            return true;
        case Outcome::kExpired:
            counters_.increment(IngressCounter::kExpired);
            return drop_ended(batch, bundle, bp::ReportReason::kLifetimeExpired, waiting, now);
        // Egress has counted it.
        case Outcome::kDeletedHopLimit:
            return drop_ended(batch, bundle, bp::ReportReason::kHopLimitExceeded, waiting, now);
        case Outcome::kDeletedUnreadable:
            return drop_ended(batch, bundle, bp::ReportReason::kBlockUnintelligible, waiting, now);
        case Outcome::kNoSpace:
            return leave_to_custodian(batch, bundle, waiting, now) ||
                   refuse_without_space(batch, bundle, now);
        case Outcome::kIoError:
            return leave_to_custodian(batch, bundle, waiting, now) ||
                   refuse_upstream(batch, bundle, now);
        case Outcome::kNotSent:
        case Outcome::kTooLate:
        case Outcome::kRefused:
            return false;
        case Outcome::kPending:
        case Outcome::kReturnedEarly:
            break;
    }
    FARLINK_INVARIANT(!"a batch came back without all outcomes");
    return false;
}

// The bundle is no more; nobody is to send it again.
bool IngressCore::drop_ended(const Batch &batch, const BatchedBundle &bundle,
                             bp::ReportReason reason, UpstreamId waiting, TimePoint now) {
    if ((bundle.requests & kReportDeletion) != 0)
        report(bus::ReportEvent::kDeleted, reason, head_of(batch, bundle),
               payload_length(batch, bundle), now);
    acknowledge(waiting, bundle, TransferDisposition::kSafe, now);
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
    acknowledge(waiting, bundle, TransferDisposition::kNoResources, now);
    leave_storage_alone(now);
    return true;
}

bool IngressCore::refuse_without_space(const Batch &batch, const BatchedBundle &bundle,
                                       TimePoint now) {
    if (may_be_stored(batch, bundle)) return refuse_upstream(batch, bundle, now);
    counters_.increment(IngressCounter::kDeletedNoStorageSpace);
    if ((bundle.requests & kReportDeletion) != 0)
        report(bus::ReportEvent::kDeleted, bp::ReportReason::kDepletedStorage,
               head_of(batch, bundle), payload_length(batch, bundle), now);
    acknowledge(batch.upstream, bundle, TransferDisposition::kNotAcceptable, now);
    return true;
}

// Storage has no room, and had none a while ago either. A sender that waits for the acknowledgement
// still has the bundle: it is told so, and its memory is free for what can go on.
bool IngressCore::refuse_upstream(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    if (batch.upstream == kNoUpstream || !batch.retried || upstreams_.patient(batch.upstream))
        return false;
    counters_.increment(IngressCounter::kDeletedNoResources);
    acknowledge(batch.upstream, bundle, TransferDisposition::kNoResources, now);
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
    const OutputQueue *queue = queue_of(batch.link);
    return queue != nullptr && queue->in_flight_bundles == batch.bundles.size();
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
