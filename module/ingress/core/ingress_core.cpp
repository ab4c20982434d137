// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/ingress_core.hpp"

#include <algorithm>

#include "common/base/endpoint_links.hpp"
#include "common/config/reload/settings_change.hpp"
#include "common/config/review/ltp_advice.hpp"

namespace farlink::ingress {

IngressCore::IngressCore(const config::NodeConfig &config, SlabPool &pool, WallClock clock,
                         std::uint64_t first_arrival, std::size_t instance)
    : context_(config, pool, clock, instance),
      first_arrival_(first_arrival - first_arrival % config.threads.instances + instance),
      copies_(config.acknowledge_within),
      queues_(context_, copies_, first_arrival_ + 1),
      copy_maker_(context_, queues_, copies_),
      held_(context_, queues_),
      local_(context_, first_arrival),
      spooler_(context_, queues_, first_arrival_),
      repeats_(context_),
      bundle_outcomes_(context_, held_, local_, repeats_),
      outcomes_(context_,
                {queues_, copies_, copy_maker_, held_, repeats_, bundle_outcomes_, spooler_}),
      dispatcher_(context_, queues_, bundle_outcomes_, local_, first_arrival_),
      receiver_(context_, dispatcher_, local_, repeats_, spooler_) {}

// ---- bundles

void IngressCore::handle_bundles(UpstreamId from, const ReceivedBundles &received, TimePoint now) {
    receiver_.receive(from, received, now);
    queues_.close_open_batches(from, now);
}

void IngressCore::handle(bus::ArrivedBatch message, TimePoint now) {
    const UpstreamId from = message.batch->upstream;
    receiver_.receive(std::move(message.batch), now);
    queues_.close_open_batches(from, now);
    receiver_.return_borrowed();
}

void IngressCore::finish(UpstreamId from, TimePoint now) {
    receiver_.receive_originated(now);
    queues_.close_open_batches(from, now);
    context_.catch_up.check(now);
}

void IngressCore::handle(bus::BatchOutcome outcome, TimePoint now) {
    outcomes_.handle(std::move(outcome.batch), now);
    resume_storage(now);
    finish(kNoUpstream, now);
    copy_maker_.make_due_copies(now);
    copy_maker_.send_outcomes();
    receiver_.return_borrowed();
}

void IngressCore::handle(bus::ReleaseBatch message, TimePoint now) {
    receiver_.deliver_released(*message.batch, now);
    queues_.close_open_batches(kNoUpstream, now);
    message.batch->uniform = Outcome::kSent;
    context_.send(bus::AgentId::kStorage, bus::BatchOutcome{std::move(message.batch)});
}

void IngressCore::resume_storage(TimePoint now) {
    if (!held_.due(now)) return;
    // The queue is blocked yet, so that bundles for storage wait for their place in it.
    held_.offer_again([&](const Batch &batch) {
        if (held_.draining() && bundle_outcomes_.leave_to_sender(batch, now)) return;
        dispatcher_.dispatch_again(batch, now);
    });
    queues_.close_open_batches(kNoUpstream, now);
    held_.resume_storage(now);
}

void IngressCore::handle(const bus::ReportRequest &request, TimePoint now) {
    local_.report(request.event, static_cast<bp::ReportReason>(request.reason), request.head,
                  request.payload_length, now);
    finish(kNoUpstream, now);
}

void IngressCore::handle(const bus::OriginateRequest &request, TimePoint now) {
    local_.handle(request, now);
    finish(kNoUpstream, now);
}

void IngressCore::handle(const bus::PingRequest &request, TimePoint now) {
    local_.handle(request, now);
    finish(kNoUpstream, now);
}

void IngressCore::handle(const bus::LocalDelivery &message, TimePoint now) {
    local_.handle(message, now);
    finish(kNoUpstream, now);
    context_.send(message.from, bus::LocalDelivered{message.number});
}

void IngressCore::handle(const bus::LocalDelivered &answer, TimePoint now) {
    local_.handle(answer, now);
}

// ---- sessions, links and routes

void IngressCore::handle(const bus::UpstreamChange &change, TimePoint now) {
    if (!change.open) return handle_upstream_closed(change.upstream, now);
    Upstreams &upstreams = context_.upstreams;
    handle_upstream_opened(change.upstream, change.acknowledges);
    upstreams.set_hosted_elsewhere(change.upstream, change.next_transfer);
    upstreams.set_link(change.upstream, change.link);
    const auto &outducts = context_.config.outducts;
    const auto outduct = std::ranges::find(outducts, change.link, &config::OutductConfig::id);
    if (outduct != outducts.end())
        upstreams.set_policy(change.upstream, {outduct->strict, outduct->allow_missing_age});
    if (const OutputQueue *queue = queues_.queue_of(change.link))
        upstreams.set_neighbour(change.upstream, queue->neighbour);
}

void IngressCore::handle(const bus::RouteUpdate &update, TimePoint) {
    dispatcher_.handle(update);
}

void IngressCore::handle(const bus::Backlog &backlog, TimePoint now) {
    context_.flows.handle(backlog);
    context_.catch_up.check(now);
}

void IngressCore::handle(const bus::DrainMode &order, TimePoint) {
    context_.upstreams.set_drained(order.held);
}

void IngressCore::set_settings(const config::NodeConfig &changed) {
    config::take_settings(context_.config, changed);
    copies_.set_limit(context_.config.acknowledge_within);
    queues_.set_longest_pause(config::longest_pause(context_.config));
    local_.apply_settings();
    dispatcher_.apply_routing();
}

// ---- other modules

// The sessions that the module hosted have ended with it, or get their dispositions there.
void IngressCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    const bool applications = lost.module == bus::AgentId::kApplications;
    if (applications) queues_.handle_applications_lost(now);
    if (!applications && lost.module != bus::instance_at(bus::AgentId::kEgress, context_.instance))
        return;
    for (const UpstreamId session : context_.upstreams.hosted_elsewhere())
        if (is_application(session) == applications) handle_upstream_closed(session, now);
}

// A restarted storage counts from 0 what it gets, and reports its bundles before StorageReady.
void IngressCore::handle(const bus::ModuleBack &back, TimePoint) {
    if (back.module == bus::AgentId::kStorage) context_.flows.count_anew();
    if (bus::is_egress(back.module)) queues_.forget_forwarded(bus::instance_of(back.module));
    if (back.module == bus::AgentId::kApplications) queues_.forget_forwarded(kApplicationsCarrier);
    if (back.module == bus::AgentId::kIngress) local_.relay_again();
}

// ---- time

void IngressCore::judge_clock(DtnTime last_seen) {
    context_.clock.judge_start(last_seen);
    context_.count_suspension();
}

void IngressCore::set_wall_clock(WallClock reading) {
    (void)context_.clock.handle_reading(reading);
    context_.count_suspension();
}

void IngressCore::handle(const bus::ClockConfirm &, TimePoint) {
    context_.clock.confirm();
    context_.count_suspension();
}

TimePoint IngressCore::next_timeout() const {
    return std::min({queues_.next_timeout(), copy_maker_.next_timeout(), local_.next_timeout(),
                     context_.catch_up.next_timeout()});
}

void IngressCore::handle_timeout(TimePoint now) {
    resume_storage(now);
    queues_.spill_overdue(now);
    copy_maker_.make_due_copies(now);
    local_.handle_timeout(now);
    finish(kNoUpstream, now);
}

// Without a reserve, the kernel holds a little data of sessions that were never read; storage may
// have room for it.
void IngressCore::drain(TimePoint now) {
    context_.upstreams.set_unreserved(false);
    held_.begin_drain(now);
    queues_.spill_all(now);
}

}  // namespace farlink::ingress
