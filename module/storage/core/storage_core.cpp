// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_core.hpp"

#include <algorithm>

#include "common/base/endpoint_links.hpp"

namespace farlink::storage {
namespace {

/// How many expired bundles one call of handle_timeout() deals with.
constexpr std::size_t kExpireAtOnce = 4096;
/// The same for bundles that no custodian has answered.
constexpr std::size_t kRetryAtOnce = 4096;

bus::StorageReady ready_of(const StorageCore &core) {
    return {core.figures().counters().value(StorageCounter::kRestored), core.newest_received()};
}

}  // namespace

StorageCore::StorageCore(const config::StorageConfig &config, bool status_reports, WallClock clock,
                         const ReleaseLimits &limits, const CustodyOptions &custody,
                         history::BundleHistory history)
    : context_(config, clock, std::move(history)),
      clock_(context_),
      custody_(custody.config),
      node_(custody.node),
      reassembly_rules_(custody.node, {}),
      custodian_(context_, custody, status_reports, clock.dtn_ms),
      releaser_(context_, custodian_, limits, status_reports),
      evictor_(context_, releaser_.remover(), config.when_full),
      writer_(context_, evictor_, custodian_, reassembly_rules_, config.reassembly),
      compactor_(context_, config),
      restorer_(context_, custodian_),
      queries_(context_, releaser_.remover()),
      pieces_(context_),
      verifier_(context_),
      disks_(context_, custodian_, releaser_, writer_, compactor_, queries_, pieces_, verifier_),
      backlog_(context_),
      figures_(context_) {
    context_.inventory.destinations().set_node(node_, custody.echo_service);
    reassembly_rules_.set_endpoints(context_.inventory.destinations().endpoints());
}

// ---- start
// ---------------------------------------------------------------------------------------

void StorageCore::handle_opened(const SipKey &identity_key) {
    writer_.set_key(identity_key);
    custodian_.set_key(identity_key);
    queries_.set_identity_key(identity_key);
    restorer_.end();
    context_.next_spool = context_.dtn_at(context_.clock.read_at())
                          << 16U;  // above all earlier ones
    clock_.judge_start(restorer_.newest_received());
    disks_.handle_opened();
    publish_to_ingress();
    releaser_.handle_link(kServicesLink, {node_, true, {}});
}

// ---- inputs
// --------------------------------------------------------------------------------------

void StorageCore::handle(bus::StoreBatch message, TimePoint now) {
    releaser_.lender().forwarded_before().handle_stored(*message.batch);
    writer_.handle(std::move(message.batch), now);
    custodian_.send_signals(now);
}

void StorageCore::handle(bus::BatchOutcome message, TimePoint now) {
    releaser_.lender().handle(std::move(message.batch), now);
}

void StorageCore::handle(const bus::CopyOutcomes &message, TimePoint now) {
    for (const bus::CopyFate &outcome : message.fates) {
        const EntryIndex kept = writer_.copies().handle(outcome, message.instance);
        if (kept != kNoEntry) releaser_.lender().take_back(kept, now);
    }
}

void StorageCore::handle(const bus::CustodyRecord &message, TimePoint now) {
    const auto depleted = custodian_.handle(message, now);
    if (!depleted || custody_.depleted_delay == Duration::zero()) return;
    releaser_.hold_back(*depleted, now + custody_.depleted_delay);
    context_.send(bus::AgentId::kScheduler,
                  bus::NeighbourDepleted{*depleted, custody_.depleted_delay});
    // Bundles that were refused need not wait if they have another route.
    DestinationTable &destinations = context_.inventory.destinations();
    for (const EntryIndex index : custodian_.answered()) {
        const Entry &entry = context_.inventory.entry(index);
        if (entry.state() != EntryState::kInCustody) continue;
        const std::span<const Way> ways = destinations.ways(entry.flow);
        if (ways.empty() || ways.front().node == *depleted) continue;
        context_.custody.stop_waiting(index);
        releaser_.lender().take_back(index, now);
    }
}

void StorageCore::set_settings(const config::NodeConfig &config) {
    custody_.depleted_delay = config.custody.depleted_delay;
    custodian_.want_reports(config.status_reports);
    releaser_.want_reports(config.status_reports);
    evictor_.set_policy(config.storage.when_full);
    context_.placement.set_limits(config.storage);
    context_.inventory.quotas().set_capacities(config.storage.quotas);
    writer_.gathering().set_limits(config.storage.reassembly);
    reassembly_rules_.set_rules(config.routing);
    releaser_.change_policies(config.routing);
}

void StorageCore::handle(const bus::EndpointsChange &change, TimePoint) {
    releaser_.handle_endpoints(change, node_);
}

void StorageCore::handle(const bus::RouteUpdate &update, TimePoint) {
    releaser_.handle_routes(update);
    backlog_.handle_routes();
}

void StorageCore::handle(const bus::LinkUp &event, TimePoint) {
    releaser_.handle_link(event.link, {event.neighbour, true, event.rate, event.owlt,
                                       event.max_bundle_bytes, event.fragments});
}

void StorageCore::handle(const bus::LinkDown &event, TimePoint) {
    releaser_.handle_link(event.link, {event.neighbour, false, {}});
}

void StorageCore::handle(const bus::LinkSnapshot &snapshot, TimePoint) {
    releaser_.handle_snapshot(snapshot);
}

void StorageCore::handle(const bus::StoreRequest &request, TimePoint) {
    queries_.handle(request);
}

void StorageCore::handle(const bus::BundlePieceRequest &request, TimePoint) {
    pieces_.handle(request);
}

void StorageCore::handle(const bus::StoreTaskRequest &request, TimePoint now) {
    if (request.task == bus::StoreTask::kCompact)
        compactor_.handle(request, now);
    else
        verifier_.handle(request, now);
}

std::optional<bus::StoreTaskReply> StorageCore::poll_ended_task() {
    if (auto ended = verifier_.take_ended()) return ended;
    return compactor_.take_ended();
}

// ---- modules of other processes: a module that comes back gets the state of storage anew; what
// storage had lent to it comes back through the bus.
// --------------------------------------------------------------------------------------

void StorageCore::set_placement(const config::LinkPlacement &placement) {
    releaser_.lender().forwarded_before().set_placement(placement);
    if (placement.instances() > 1) context_.inventory.backlogs().share();
}

void StorageCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    const std::size_t instance = bus::instance_of(lost.module);
    if (bus::is_ingress(lost.module)) {
        // No outcome of the originals will come any more.
        for (const EntryIndex copy : writer_.handle_ingress_lost(instance))
            releaser_.lender().take_back(copy, now);
        context_.inventory.backlogs().count_anew(instance);
        releaser_.lender().forwarded_before().handle_ingress_lost(instance);
    }
    if (lost.module == bus::AgentId::kIngress)
        releaser_.handle_link(kServicesLink, {node_, false, {}});
    // The scheduler reports its links when they are up again.
    if (bus::is_egress(lost.module)) releaser_.take_down(instance);
    if (lost.module == bus::AgentId::kApplications) releaser_.handle_applications_lost(node_);
}

void StorageCore::handle(const bus::ModuleBack &back, TimePoint now) {
    if (bus::is_ingress(back.module)) publish_to_ingress();
    if (back.module == bus::AgentId::kIngress)
        releaser_.handle_link(kServicesLink, {node_, true, {}});
    if (bus::is_egress(back.module)) {
        releaser_.lender().forwarded_before().handle_carrier_back(bus::instance_of(back.module));
        context_.send(bus::AgentId::kEgress, ready_of(*this));
    }
    if (back.module == bus::AgentId::kApplications) {
        releaser_.lender().forwarded_before().handle_carrier_back(kApplicationsCarrier);
        context_.send(bus::AgentId::kApplications, ready_of(*this));
    }
    if (back.module != bus::AgentId::kRouter) return;
    backlog_.handle_router_back();
    backlog_.handle_timeout(now);
}

// The flows that must not be cut through; then StorageReady, which ends the list.
void StorageCore::publish_to_ingress() {
    for (const bus::Backlog &backlog : context_.inventory.backlogs().report_held())
        context_.send(bus::AgentId::kIngress, backlog);
    context_.send(bus::AgentId::kIngress, ready_of(*this));
}

// ---- time
// ----------------------------------------------------------------------------------------

TimePoint StorageCore::next_timeout() const {
    TimePoint next =
        std::min({custodian_.next_timeout(), releaser_.next_timeout(), queries_.next_timeout(),
                  verifier_.next_timeout(), backlog_.next_timeout()});
    for (const Volume &volume : context_.placement.volumes())
        next = std::min(next, volume.next_timeout());
    return std::min(next, context_.clock.expiry_timer(context_.inventory.next_expiry()));
}

void StorageCore::handle_timeout(TimePoint now) {
    custodian_.send_signals(now);
    releaser_.handle_timeout(now);
    queries_.handle_timeout(now);
    verifier_.handle_timeout(now);
    backlog_.handle_timeout(now);
    for (std::size_t done = 0; done < kRetryAtOnce; ++done) {
        const EntryIndex overdue = custodian_.poll_overdue(now);
        if (overdue == kNoEntry) break;
        releaser_.lender().take_back(overdue, now);
    }
    // While expiry is suspended, the time is not reliable.
    if (context_.clock.expiry_suspended()) return;
    const DtnTime now_ms = context_.dtn_at(now);
    for (std::size_t done = 0; done < kExpireAtOnce; ++done) {
        const EntryIndex expired = context_.inventory.pop_expired(now_ms);
        if (expired == kNoEntry) return;
        releaser_.remover().expire(expired);
    }
}

// ---- outputs
// -------------------------------------------------------------------------------------

std::optional<bus::Outgoing> StorageCore::poll_message() {
    if (!context_.messages.empty()) return context_.messages.pop_front();
    if (const auto backlog = context_.inventory.backlogs().poll())
        return bus::Outgoing{bus::AgentId::kIngress, false, *backlog};
    return std::nullopt;
}

void StorageCore::drain() {
    disks_.drain();
    backlog_.drain();
    custodian_.expedite();
}

bool StorageCore::idle() const {
    return writer_.idle() && releaser_.idle() &&
           std::ranges::all_of(context_.placement.volumes(), &Volume::idle);
}

}  // namespace farlink::storage
