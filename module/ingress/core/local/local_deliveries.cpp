// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/local/local_deliveries.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/bp/parse.hpp"

namespace farlink::ingress {
namespace {

/// The share of `limit` of one instance; 0 stays no limit.
std::uint32_t share_of(std::uint32_t limit, std::size_t instances) {
    return limit == 0 ? 0 : std::max(1U, limit / static_cast<std::uint32_t>(instances));
}

}  // namespace

LocalDeliveries::LocalDeliveries(IngressContext &context, std::uint64_t run)
    : context_(context),
      services_(context.config.node, context.config.echo_service,
                {context.config.custody.acs_aware, context.config.custody.acs_max_fills,
                 context.config.custody.acs_send_period},
                {context.instance, context.config.threads.instances}),
      relay_(bus::instance_at(bus::AgentId::kIngress, context.instance)),
      pings_(run) {
    apply_settings();
}

void LocalDeliveries::apply_settings() {
    const config::NodeConfig &config = context_.config;
    services_.set_hop_limit(config.routing.hop_limit);
    services_.limit_reports(share_of(config.status_reports_per_second, config.threads.instances));
}

void LocalDeliveries::deliver(const bp::BundleView &view, ByteView bundle, const Arrival &arrival,
                              TimePoint now) {
    if (context_.instance > 0) return relay(bundle, arrival, now);
    context_.acknowledge(arrival, TransferDisposition::kSafe, now);
    deliver_here(view, bundle, arrival.sender, now);
}

void LocalDeliveries::deliver_here(const bp::BundleView &view, ByteView bundle, NodeNumber sender,
                                   TimePoint now) {
    const Delivery delivery = services_.deliver(view, bundle, context_.clock.dtn_at(now));
    services_.end_custody(view, bundle, delivery, context_.clock.dtn_at(now), now);
    finish(view, bundle, delivery, sender, now);
}

// Custody, where it was requested, was taken with the fragments.
void LocalDeliveries::deliver_stored(const bp::BundleView &view, ByteView bundle, TimePoint now) {
    finish(view, bundle, services_.deliver(view, bundle, context_.clock.dtn_at(now)), {}, now);
}

/// Passes on what the services have made, counts the delivery and reports it.
void LocalDeliveries::finish(const bp::BundleView &view, ByteView bundle, Delivery delivery,
                             NodeNumber sender, TimePoint now) {
    const ByteView head = bundle.first(view.head_end);
    const auto record = [&](history::Ending ending, bp::ReportReason reason) {
        context_.record(view, bundle.size(), sender, ending, reason, now);
    };
    while (auto custody = services_.poll_custody_record()) {
        custody->sender = sender;
        context_.send(bus::AgentId::kStorage, std::move(*custody));
    }
    while (const auto payload = services_.poll_ping_answer())
        if (auto reply = pings_.handle_answer(*payload, now))
            context_.send(bus::AgentId::kSupervisor, std::move(*reply));
    switch (delivery) {
        case Delivery::kDelivered:
            context_.counters.increment(IngressCounter::kDelivered);
            record(history::Ending::kDelivered, bp::ReportReason::kNone);
            if ((view.requests & kReportDelivery) != 0)
                report(bus::ReportEvent::kDelivered, bp::ReportReason::kNone, head,
                       view.payload_length, now);
            return;
        case Delivery::kDuplicate:
            context_.counters.increment(IngressCounter::kDuplicatesDelivered);
            return;
        case Delivery::kAdminUnknown:
            context_.counters.increment(IngressCounter::kDeletedAdminUnknown);
            record(history::Ending::kDeleted, bp::ReportReason::kBlockUnintelligible);
            return;
        case Delivery::kNoService:
            context_.counters.increment(IngressCounter::kDeletedNoService);
            record(history::Ending::kDeleted, bp::ReportReason::kDestinationUnavailable);
            if ((view.requests & kReportDeletion) != 0)
                report(bus::ReportEvent::kDeleted, bp::ReportReason::kDestinationUnavailable, head,
                       view.payload_length, now);
            return;
    }
}

// The request is forwarded like any other bundle, also when that leads to this node.
void LocalDeliveries::handle(const bus::PingRequest &request, TimePoint now) {
    if (services_.ping(request, pings_.begin(request, now), context_.clock.dtn_at(now))) return;
    constexpr std::string_view kError = "expected an endpoint and version 6 or 7";
    bus::PingReply reply{.id = request.id, .error = {}, .taken = {}};
    reply.error.assign(kError.begin(), kError.end());
    context_.send(bus::AgentId::kSupervisor, std::move(reply));
}

void LocalDeliveries::relay(ByteView bundle, const Arrival &arrival, TimePoint now) {
    const auto number = relay_.take(bundle, arrival.waiting, arrival.transfer, arrival.sender);
    if (!number) {
        context_.counters.increment(IngressCounter::kDeletedNoResources);
        return context_.acknowledge(arrival, TransferDisposition::kNoResources, now);
    }
    context_.count_in_flight(1, bundle.size());
    context_.send(bus::AgentId::kIngress, relay_.message(*number));
}

void LocalDeliveries::handle(const bus::LocalDelivery &message, TimePoint now) {
    const ByteView bundle = message.bundle;
    if (const auto view = bp::parse({&bundle, 1}))
        deliver_here(*view, bundle, message.neighbour, now);
}

void LocalDeliveries::handle(const bus::LocalDelivered &answer, TimePoint now) {
    const auto relayed = relay_.remove(answer.number);
    if (!relayed) return;  // answered twice: the first instance has restarted in between
    context_.release(1, relayed->bundle.size());
    if (relayed->waiting != kNoUpstream)
        context_.upstreams.acknowledge(relayed->waiting, relayed->transfer, 1,
                                       TransferDisposition::kSafe, now);
}

void LocalDeliveries::relay_again() {
    for (const std::uint64_t number : relay_.numbers())
        context_.send(bus::AgentId::kIngress, relay_.message(number));
}

void LocalDeliveries::report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                             std::uint64_t payload_length, TimePoint now) {
    if (!context_.config.status_reports) return;
    const std::uint64_t before = services_.reports_withheld();
    services_.report(event, reason, head, payload_length, context_.clock.dtn_at(now));
    const std::uint64_t withheld = services_.reports_withheld() - before;
    if (withheld == 0) return;
    context_.counters.add(IngressCounter::kReportsWithheld, withheld);
    auto &notice = context_.notices.reports_withheld;
    if (!notice) {
        const auto view = bp::parse_primary(head);
        notice = ReportsWithheld{0, view ? bp::to_string(view->report_to) : std::string()};
    }
    notice->count += withheld;
}

}  // namespace farlink::ingress
