// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/queues/next_hop_queues.hpp"

#include <algorithm>
#include <utility>

#include "common/base/endpoint_links.hpp"
#include "common/bus/link_snapshot.hpp"
#include "common/config/review/ltp_advice.hpp"

namespace farlink::ingress {
namespace {

/// The window of storage.
constexpr std::uint64_t kStorageWindowBytes = 32ULL * 1024 * 1024;
constexpr std::uint64_t kStorageWindowBundles = 256 * 1024;
/// The window of a link that the configuration does not list.
constexpr std::uint64_t kLaterWindowBytes = 8ULL * 1024 * 1024;
constexpr std::uint64_t kLaterWindowBundles = 64 * 1024;
/// That of an endpoint of an application, which may take nothing for long: what it has lies in
/// slabs that others need. The rest waits in storage.
constexpr std::uint64_t kEndpointWindowBytes = 4 * kBatchBytes;
constexpr std::uint64_t kEndpointWindowBundles = 4 * kBatchBundles;
/// A stopping node offers bundles for this time to a store that keeps none of them.
constexpr Duration kFullFor = seconds(2);
/// All endpoints together may hold one in so many octets of the memory, counted as slabs.
constexpr std::uint64_t kEndpointsShare = 8;

std::uint64_t slab_bytes(const Batch &batch) {
    std::uint64_t bytes = 0;
    for (const SlabRef &slab : batch.slabs) bytes += slab->capacity;
    return bytes;
}

/// Until the queue resumes its sessions.
void pause_session(IngressContext &context, OutputQueue &queue, UpstreamId from) {
    if (from == kNoUpstream || !context.upstreams.can_pause(from) ||
        std::ranges::find(queue.paused, from) != queue.paused.end())
        return;
    context.counters.increment(IngressCounter::kPauses);
    queue.paused.push_back(from);
    context.upstreams.pause(from);
}

}  // namespace

NextHopQueues::NextHopQueues(IngressContext &context, UnackedCopies &copies,
                             std::uint64_t first_batch)
    : context_(context),
      copies_(copies),
      longest_pause_(config::longest_pause(context.config)),
      placement_(context.config),
      queues_(1 + context.config.outducts.size()),
      next_batch_(first_batch) {
    storage().up = true;
    storage().max_bytes = kStorageWindowBytes;
    storage().max_bundles = kStorageWindowBundles;
    for (std::size_t i = 0; i < context.config.outducts.size(); ++i) {
        const config::OutductConfig &outduct = context.config.outducts[i];
        OutputQueue &queue = queues_[1 + i];
        queue.link = outduct.id;
        queue.neighbour = outduct.next_hop;
        queue.max_bytes = outduct.max_in_flight_bytes;
        queue.max_bundles = outduct.max_in_flight_bundles;
    }
}

void NextHopQueues::add(std::size_t index, BatchedBundle &bundle, const Arrival &arrival,
                        NodeNumber sender, TimePoint now) {
    BatchPtr &open = queues_[index].open_for(bundle.priority);
    if (open && (open->full() || open->bytes + bundle.size > kBatchBytes ||
                 open->upstream != arrival.waiting || open->sender != sender))
        submit(index, std::move(open), arrival.from, now);
    if (!open) {
        open = context_.batches.acquire();
        open->upstream = arrival.waiting;
        open->sender = sender;
        open->retried = arrival.again != nullptr;
        touched_.push_back(index);
        context_.upstreams.feeds(arrival.from, index, now);
    }
    Batch &batch = *open;
    bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
    for (const ByteView slice : arrival.slices) batch.slices.push_back(slice);
    for (const SlabRef &slab : arrival.slabs) batch.pin(slab);
    batch.bytes += bundle.size;
    batch.requests |= bundle.requests;
    batch.bundles.push_back(bundle);
    context_.count_in_flight(1, bundle.size);
    if (index == kStorageQueue) context_.flows.sent(bundle.flow);
}

void NextHopQueues::add_piece(const BundlePiece &piece, BatchedBundle &bundle,
                              const Arrival &arrival, NodeNumber sender, TimePoint now) {
    BatchPtr batch = context_.batches.acquire();
    batch->upstream = arrival.waiting;
    batch->sender = sender;
    batch->piece = piece;
    batch->slices.assign(arrival.slices.begin(), arrival.slices.end());
    batch->slabs.assign(arrival.slabs.begin(), arrival.slabs.end());
    batch->bytes = bundle.size;
    batch->requests = bundle.requests;
    batch->bundles.push_back(bundle);
    context_.count_in_flight(0, bundle.size);  // Spooler counts the bundle
    context_.flows.sent(bundle.flow);
    submit(kStorageQueue, std::move(batch), arrival.from, now);
}

void NextHopQueues::drop_pieces(std::uint64_t spool, TimePoint now) {
    BatchPtr batch = context_.batches.acquire();
    batch->piece.spool = spool;
    submit(kStorageQueue, std::move(batch), kNoUpstream, now);
}

void NextHopQueues::close_open_batches(UpstreamId from, TimePoint now) {
    for (const std::size_t index : touched_)
        for (std::size_t slot = kPriorityCount; slot-- > 0;)
            if (BatchPtr batch = std::move(queues_[index].open[slot]))
                submit(index, std::move(batch), from, now);
    touched_.clear();
}

void NextHopQueues::submit(std::size_t index, BatchPtr batch, UpstreamId from, TimePoint now) {
    OutputQueue &queue = queues_[index];
    batch->link = queue.link;
    batch->next_hop = index == kStorageQueue ? batch->sender : queue.neighbour;
    if (queue.waiting.empty() && may_lend(queue) && !queue.blocked()) {
        lend(queue, std::move(batch), now);
        // What a session sends until storage answers may have no room either.
        if (queue.refuses) pause_session(context_, queue, from);
        return;
    }
    const bool to_link = index != kStorageQueue;
    if (to_link && context_.upstreams.mixed(from, now)) {
        // To pause this session would stop bundles for other links: only the blocked ones spill,
        // behind those that wait already.
        spill(queue, now);
        return hand_to_storage(std::move(batch), from, now);
    }
    if (queue.waiting.empty()) queue.waiting_since = now;
    queue.wait(std::move(batch));
    pause_session(context_, queue, from);
}

// A batch that storage gets while it has no other, and none is held, is the oldest: nothing can be
// overtaken, and a refusal from long ago does not hold for it.
void NextHopQueues::lend(OutputQueue &queue, BatchPtr batch, TimePoint now) {
    const bool oldest = queue.in_flight_bundles == 0 && !queue.blocked() && !batch->copy;
    queue.lend(*batch);
    batch->sequence = batch->number = next_batch_++;
    context_.counters.increment(IngressCounter::kBatches);
    if (queue.link == kNoLink) {
        batch->resumes = std::exchange(queue.resumes, false) || oldest;
        if (batch->piece.last())
            context_.counters.add(IngressCounter::kSentToStorage, batch->bundles.size());
        context_.messages.push_back(
            {bus::AgentId::kStorage, false, bus::StoreBatch{std::move(batch)}});
        return;
    }
    if (batch->upstream != kNoUpstream) {
        const std::size_t index = index_of(queue);
        copies_.watch(index, *batch, copy_at_once(index, *batch, now), now);
    }
    const bool here = is_endpoint_link(queue.link);
    if (here) endpoints_hold_ += slab_bytes(*batch);
    context_.messages.push_back({here ? bus::AgentId::kApplications : bus::AgentId::kEgress, false,
                                 bus::ForwardBatch{std::move(batch)}});
}

// True when the next hop's acknowledgement cannot come in time, or the sender's window is about to
// be used up.
bool NextHopQueues::copy_at_once(std::size_t index, const Batch &batch, TimePoint now) const {
    return 2 * queues_[index].owlt >= context_.config.acknowledge_within ||
           (context_.upstreams.half_used(batch.upstream) && copies_.is_late(index, now));
}

void NextHopQueues::hand_to_storage(BatchPtr batch, UpstreamId from, TimePoint now) {
    for (BatchedBundle &bundle : batch->bundles) {
        bundle.outcome = Outcome::kPending;
        context_.flows.sent(bundle.flow);
    }
    batch->uniform = Outcome::kPending;
    batch->done = 0;
    submit(kStorageQueue, std::move(batch), from, now);
}

void NextHopQueues::pump(OutputQueue &queue, TimePoint now) {
    if (queue.blocked()) return;
    while (!queue.waiting.empty() && may_lend(queue)) lend(queue, queue.waiting.pop_front(), now);
    // Between two pauses of a full store, sessions would send more than `maxUnsettledBytes`.
    const bool awaits_room = queue.refuses && queue.in_flight_bundles > 0;
    if (queue.waiting.empty() && !awaits_room) resume_paused(queue);
}

bool NextHopQueues::may_lend(const OutputQueue &queue) const {
    return queue.has_room() && (!is_endpoint_link(queue.link) ||
                                endpoints_hold_ < context_.config.buffer_bytes / kEndpointsShare);
}

void NextHopQueues::handle_returned(const Batch &batch) {
    if (is_endpoint_link(batch.link)) endpoints_hold_ -= slab_bytes(batch);
}

void NextHopQueues::spill(OutputQueue &queue, TimePoint now) {
    while (!queue.waiting.empty()) {
        BatchPtr batch = queue.waiting.pop_front();
        context_.counters.add(IngressCounter::kSpilled, batch->bundles.size());
        hand_to_storage(std::move(batch), kNoUpstream, now);
    }
    resume_paused(queue);
}

void NextHopQueues::spill_overdue(TimePoint now) {
    for (OutputQueue &queue : queues_)
        if (is_overdue(queue, now)) spill(queue, now);
}

void NextHopQueues::spill_all(TimePoint now) {
    for (OutputQueue &queue : queues_)
        if (queue.link != kNoLink) spill(queue, now);
}

bool NextHopQueues::storage_stays_full(TimePoint now) const {
    const OutputQueue &storage = queues_[kStorageQueue];
    return storage.refuses && now - storage.refused_since >= kFullFor &&
           std::ranges::all_of(
               queues_, [](const OutputQueue &queue) { return queue.in_flight_bundles == 0; });
}

void NextHopQueues::resume_paused(OutputQueue &queue) {
    for (const UpstreamId upstream : queue.paused) context_.upstreams.resume(upstream);
    queue.paused.clear();
}

void NextHopQueues::handle(const bus::LinkUp &event, TimePoint now) {
    bus::LinkEntry entry;
    entry.link = event.link;
    entry.neighbour = event.neighbour;
    entry.owlt = event.owlt;
    entry.max_bundle_bytes = event.max_bundle_bytes;
    entry.fragments = event.fragments;
    entry.planned = entry.connected = true;
    set_link(entry, now);
}

void NextHopQueues::handle(const bus::LinkDown &event, TimePoint now) {
    bus::LinkEntry entry;
    entry.link = event.link;
    entry.neighbour = event.neighbour;
    set_link(entry, now);
}

void NextHopQueues::handle(const bus::EndpointsChange &change, TimePoint now) {
    set_endpoints(context_.endpoints.handle(change), now);
}

void NextHopQueues::handle_applications_lost(TimePoint now) {
    set_endpoints(context_.endpoints.handle_lost(), now);
}

void NextHopQueues::set_endpoints(const std::vector<bus::EndpointEntry> &changed, TimePoint now) {
    for (const bus::EndpointEntry &each : changed) {
        if (!each.up && queue_of(each.link) == nullptr) continue;
        bus::LinkEntry entry;
        entry.link = each.link;
        entry.neighbour = context_.config.node;
        entry.planned = entry.connected = each.up;
        set_link(entry, now);
    }
}

void NextHopQueues::set_link(const bus::LinkEntry &entry, TimePoint now) {
    OutputQueue *queue = queue_of(entry.link);
    if (queue == nullptr) queue = &add_queue(entry.link, entry.neighbour);
    queue->up = entry.planned && entry.connected;
    queue->neighbour = entry.neighbour;
    if (!queue->up) return spill(*queue, now);
    queue->owlt = entry.owlt;
    queue->max_bundle_bytes = entry.max_bundle_bytes;
    queue->fragments = entry.fragments;
}

void NextHopQueues::handle(const bus::LinkSnapshot &snapshot, TimePoint now) {
    for (const bus::LinkEntry &entry : snapshot.links) set_link(entry, now);
    for (OutputQueue &queue : queues_) {
        if (queue.link == kNoLink || is_endpoint_link(queue.link)) continue;
        if (bus::names(snapshot, queue.link)) continue;
        queue.up = false;
        spill(queue, now);
    }
}

void NextHopQueues::set_window(LinkId link, NodeNumber neighbour, std::uint64_t bytes,
                               std::uint64_t bundles) {
    OutputQueue *queue = queue_of(link);
    if (queue == nullptr) queue = &add_queue(link, neighbour);
    if (bytes > 0) queue->max_bytes = bytes;
    if (bundles > 0) queue->max_bundles = bundles;
}

// A link that was added, or that a neighbour has opened, and an endpoint get their queue when they
// are first up.
OutputQueue &NextHopQueues::add_queue(LinkId link, NodeNumber neighbour) {
    later_queues_[link] = queues_.size();
    OutputQueue &queue = queues_.emplace_back();
    queue.link = link;
    queue.neighbour = neighbour;
    const bool here = is_endpoint_link(link);
    queue.max_bytes = here ? kEndpointWindowBytes : kLaterWindowBytes;
    queue.max_bundles = here ? kEndpointWindowBundles : kLaterWindowBundles;
    return queue;
}

std::optional<bus::Outgoing> NextHopQueues::poll_message() {
    if (context_.messages.empty()) return std::nullopt;
    std::optional<bus::Outgoing> next = context_.messages.pop_front();
    if (const auto *forward = std::get_if<bus::ForwardBatch>(&next->message)) {
        std::uint64_t &last = forwarded_[placement_.carrier_of(forward->batch->link)];
        forwarded_before_ = std::exchange(last, forward->batch->number);
    } else if (const auto *store = std::get_if<bus::StoreBatch>(&next->message)) {
        store->batch->behind = forwarded_;
    }
    return next;
}

void NextHopQueues::withdraw_forwarded(LinkId link) {
    forwarded_[placement_.carrier_of(link)] = forwarded_before_;
}

TimePoint NextHopQueues::next_timeout() const {
    TimePoint next = kNever;
    for (const OutputQueue &queue : queues_) {
        if (queue.blocked() && queue.in_flight_bundles == 0)
            next = std::min(next, queue.not_before);
        if (queue.link != kNoLink && !queue.waiting.empty())
            next = std::min(next, queue.waiting_since + longest_pause_);
    }
    return next;
}

}  // namespace farlink::ingress
