// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/applications_core.hpp"

#include <algorithm>
#include <utility>

#include "common/base/endpoint_links.hpp"
#include "common/bp/eid/reserved.hpp"
#include "common/buffer/arrived_batches.hpp"
#include "common/config/applications/applications_fields.hpp"

namespace farlink::applications {
namespace {

/// Numbers of sessions begin at another place with each start: bundles of an earlier run may still
/// be in flight.
constexpr std::uint32_t kSessionNumbers = 0x3fffffffU;
/// Connections that may do nothing wait for their refusal.
constexpr std::size_t kMostWithoutGrant = 16;
constexpr std::string_view kMostWithoutGrantOpen =
    "no entry of applications.access allows it, and 16 such connections are open";
constexpr seconds kHandshakeLimit{10};
constexpr seconds kStallLimit{60};
constexpr std::uint64_t kLongestStaySeconds = 366ULL * 24 * 3600;

constexpr Verdict kNotAllowed{ResponseStatus::kUnauthorized,
                              "no entry of applications.access allows this endpoint"};
constexpr Verdict kNoEndpoint{ResponseStatus::kInvalidRequest,
                              "the endpoint does not belong to this node"};
constexpr Verdict kStopping{ResponseStatus::kError, "the node is stopping"};

SessionLimits limits_of(const config::ApplicationsNode &config) {
    const auto within = static_cast<std::int64_t>(config.applications.accept_within_seconds);
    return {kHandshakeLimit, seconds(within), kStallLimit};
}

}  // namespace

ApplicationsCore::ApplicationsCore(config::ApplicationsNode config, const ResolvedNames &names,
                                   SlabPool &pool, WallClock clock, std::uint64_t seed,
                                   const SipKey &key, TimePoint started,
                                   history::BundleHistory history)
    : config_(std::move(config)),
      node_id_("ipn:" + std::to_string(config_.node.value()) + ".0"),
      access_(config_, names),
      memory_(pool),
      clock_(clock),
      endpoints_(config_),
      submissions_(config_, clock_, seed),
      deliveries_(clock_, counters_, started, key,
                  {[this](UpstreamId id) -> AppSession & { return *sessions_.at(id); },
                   [this](AppSession &session) { touch(session); },
                   [this](bus::AgentId to, bus::Message message) { send(to, std::move(message)); }},
                  std::move(history)),
      next_session_(static_cast<std::uint32_t>(seed)),
      complete_at_(started + kReconnectTime) {
    publish_endpoints();
}

ApplicationsCore::~ApplicationsCore() = default;

// ---- connections

AppSession *ApplicationsCore::open(Identity identity, TimePoint now, std::string_view *why) {
    const std::size_t most = config_.applications.max_connections;
    const std::string name = identity.name();
    const auto known = connections_of_.find(name);
    const std::size_t of_user = known == connections_of_.end() ? 0 : known->second;
    const Grant *grant = access_.find(identity);
    std::string_view refusal;
    if (draining_)
        refusal = "the node is stopping";
    else if (sessions_.size() >= most)
        refusal = "applications.maxConnections is reached";
    else if (of_user >= std::max<std::size_t>(most / 2, 1))
        refusal = "the user has half of applications.maxConnections";
    else if (grant == nullptr && without_grant_ >= kMostWithoutGrant)
        refusal = kMostWithoutGrantOpen;
    if (!refusal.empty()) {
        if (why != nullptr) *why = refusal;
        counters_.increment(ApplicationsCounter::kConnectionsRefused);
        return nullptr;
    }
    ++connections_of_[name];
    without_grant_ += grant == nullptr ? 1 : 0;
    UpstreamId id;
    do id = UpstreamId{kFirstApplicationUpstream + next_session_++ % kSessionNumbers};
    while (sessions_.contains(id));
    auto &session = sessions_[id];
    SessionHost &host = *this;
    session = std::make_unique<AppSession>(id, std::move(identity), grant, host, memory_,
                                           limits_of(config_), node_id_, now);
    counters_.increment(ApplicationsCounter::kConnections);
    counters_.set(ApplicationsCounter::kConnectionsOpen, sessions_.size());
    touch(*session);
    return session.get();
}

AppSession *ApplicationsCore::find(UpstreamId session) {
    const auto found = sessions_.find(session);
    return found == sessions_.end() ? nullptr : found->second.get();
}

void ApplicationsCore::handle_bytes(AppSession &session, std::size_t size, ReadBuffer &buffer,
                                    TimePoint now) {
    session.handle_bytes(size, buffer, now);
    submit(session);
    if (session.ended()) leave_endpoint(session, now);
    if (Endpoint *endpoint = endpoints_.find(session.endpoint());
        endpoint != nullptr && session.can_take())
        deliveries_.distribute(*endpoint, now);
    publish_endpoints();
    touch(session);
}

// The whole bundles of one read are one batch; ingress returns it when it no longer needs the
// octets.
void ApplicationsCore::submit(AppSession &session) {
    auto &[received, asked] = session.made();
    if (received.empty()) return;
    const std::uint64_t bundles = received.completed();
    std::uint64_t bytes = 0;
    for (const ReceivedBundle &made : received.bundles) bytes += made.size;
    counters_.add(ApplicationsCounter::kSent, bundles);
    counters_.add(ApplicationsCounter::kSentBytes, bytes);
    if (Endpoint *endpoint = endpoints_.find(session.endpoint()); endpoint != nullptr) {
        endpoint->sent += bundles;
        endpoint->sent_bytes += bytes;
    }
    make_arrived_batches(
        received,
        [&] {
            BatchPtr batch = batches_.acquire();
            batch->upstream = session.id();
            batch->slices = received.slices;
            for (const SlabRef &slab : received.slabs) batch->pin(slab);
            return batch;
        },
        [&](std::size_t entry, BatchedBundle &bundle) { bundle.flow = asked[entry]; },
        [&](BatchPtr batch) {
            if (ingress_lost_) return batches_.recycle(std::move(batch));
            ++lent_;
            send(bus::AgentId::kIngress, bus::ArrivedBatch{std::move(batch)});
        },
        [&](BatchPtr batch) { batches_.recycle(std::move(batch)); });
    received.clear();
    asked.clear();
    if (ingress_lost_) session.refuse_unanswered();
}

void ApplicationsCore::handle_written(AppSession &session, TimePoint now) {
    Endpoint *endpoint = endpoints_.find(session.endpoint());
    if (endpoint != nullptr && session.can_take()) deliveries_.distribute(*endpoint, now);
}

void ApplicationsCore::handle_timeout(AppSession &session, TimePoint now) {
    session.handle_timeout(now);
    if (session.ended()) leave_endpoint(session, now);
    publish_endpoints();
    touch(session);
}

void ApplicationsCore::close(AppSession &session, TimePoint now) {
    session.end({});
    leave_endpoint(session, now);
    publish_endpoints();
    const std::string name = session.identity().name();
    if (--connections_of_[name] == 0) connections_of_.erase(name);
    without_grant_ -= session.grant() == nullptr ? 1 : 0;
    is_touched_.erase(session.id());
    sessions_.erase(session.id());
    counters_.set(ApplicationsCounter::kConnectionsOpen, sessions_.size());
    memory_.rest();
}

// It may have ended long before its last octets are written.
void ApplicationsCore::leave_endpoint(AppSession &session, TimePoint now) {
    const LinkId link = session.endpoint();
    Endpoint *endpoint = endpoints_.find(link);
    if (endpoint == nullptr) return;
    session.set_endpoint(kNoLink);
    deliveries_.take_back(*endpoint, session.take_leases());
    const bool receives =
        std::ranges::find(endpoint->receivers, session.id()) != endpoint->receivers.end();
    if (!receives) announce(session, false);
    if (receives && endpoint->receivers.size() == 1) deliveries_.return_all(*endpoint);
    endpoints_.leave(session.id(), link, now);
    endpoint = endpoints_.find(link);
    if (endpoint != nullptr && endpoint->up()) deliveries_.distribute(*endpoint, now);
}

std::optional<UpstreamId> ApplicationsCore::poll_touched() {
    while (!touched_.empty()) {
        const UpstreamId id = touched_.pop_front();
        if (is_touched_.erase(id) > 0) return id;
    }
    return std::nullopt;
}

void ApplicationsCore::touch(AppSession &session) {
    if (is_touched_.emplace(session.id(), true).second) touched_.push_back(session.id());
}

// ---- what sessions ask

Verdict ApplicationsCore::configure(AppSession &session, const ConnectionConfig &config,
                                    TimePoint) {
    std::optional<bp::Eid> eid;
    Verdict verdict = judge(session, config, eid);
    if (verdict.good()) {
        const std::uint64_t stay = std::min(config.stay_seconds, kLongestStaySeconds);
        Endpoint *endpoint = nullptr;
        verdict = endpoints_.join(session.id(),
                                  {eid->view(), config.secret, session.identity().name(),
                                   config.subscribes, seconds(static_cast<std::int64_t>(stay))},
                                  endpoint);
        if (verdict.good()) session.set_endpoint(endpoint->link);
    }
    if (!verdict.good()) counters_.increment(ApplicationsCounter::kConnectionsRefused);
    if (verdict.good() && !config.subscribes) announce(session, true);
    return verdict;
}

Verdict ApplicationsCore::judge(const AppSession &session, const ConnectionConfig &config,
                                std::optional<bp::Eid> &endpoint) const {
    if (draining_) return kStopping;
    if (config.auth_type != 0) return kNoDispatch;
    endpoint = config::endpoint_of(config.endpoint, config_.node);
    if (!endpoint || bp::leads_nowhere(endpoint->view())) return kNoEndpoint;
    const bp::EidView view = endpoint->view();
    if (view.scheme == bp::EidScheme::kIpn && view.node_number() != config_.node)
        return kNoEndpoint;
    const bool allowed = session.grant() != nullptr && session.grant()->may_register(view);
    return allowed ? Verdict{} : kNotAllowed;
}

Verdict ApplicationsCore::admit(const AppSession &session, const BundleAdu &adu, AduFields &fields,
                                TimePoint now) {
    const Endpoint *own = endpoints_.find(session.endpoint());
    FARLINK_INVARIANT(own != nullptr && session.grant() != nullptr);
    Verdict verdict = submissions_.admit(*session.grant(), own->eid.view(), adu, fields, now);
    if (draining_) verdict = kStopping;
    if (ingress_lost_) verdict = kNodePartLost;
    if (!verdict.good()) counters_.increment(ApplicationsCounter::kRefused);
    const bp::EidView &to = fields.primary.destination;
    fields.whole = to.scheme == bp::EidScheme::kIpn ? to.node_number() == config_.node
                                                    : endpoints_.has(adu.destination);
    return verdict;
}

void ApplicationsCore::handle_accepted(AppSession &session, const LeasedAdu &adu, TimePoint now) {
    Endpoint *endpoint = endpoints_.find(session.endpoint());
    FARLINK_INVARIANT(endpoint != nullptr);
    deliveries_.handle_accepted(*endpoint, adu, now);
}

// ---- from the bus

void ApplicationsCore::handle(bus::ForwardBatch message, TimePoint now) {
    gate_.handle_forwarded(*message.batch);
    take(std::move(message.batch), now);
    take_released(now);
}

void ApplicationsCore::handle(bus::ReleaseBatch message, TimePoint now) {
    gate_.push(std::move(message.batch), now);
    take_released(now);
}

void ApplicationsCore::take_released(TimePoint now) {
    while (BatchPtr batch = draining_ ? gate_.take() : gate_.poll(now)) take(std::move(batch), now);
}

void ApplicationsCore::take(BatchPtr batch, TimePoint now) {
    Endpoint *endpoint = endpoints_.find(batch->link);
    deliveries_.take(endpoint, std::move(batch), now);
}

void ApplicationsCore::handle(bus::BatchOutcome message, TimePoint) {
    --lent_;
    batches_.recycle(std::move(message.batch));
}

void ApplicationsCore::handle(const bus::TransferDispositions &dispositions, TimePoint) {
    for (const bus::DispositionRun &run : dispositions.runs) {
        AppSession *session = find(run.upstream);
        if (session == nullptr) continue;
        if (run.disposition != TransferDisposition::kSafe)
            counters_.add(ApplicationsCounter::kRefused, run.count);
        session->handle_disposition(run.first, run.count, run.disposition);
        touch(*session);
    }
}

void ApplicationsCore::handle(const bus::UpstreamPause &pause, TimePoint) {
    AppSession *session = find(pause.upstream);
    if (session == nullptr || draining_) return;
    session->pause(pause.paused);
    touch(*session);
}

void ApplicationsCore::handle(const bus::ModuleLost &lost, TimePoint now) {
    if (!bus::is_ingress(lost.module)) return;
    gate_.handle_lost(bus::instance_of(lost.module));
    take_released(now);
    if (lost.module != bus::AgentId::kIngress) return;
    ingress_lost_ = true;
    for (auto &[id, session] : sessions_) {
        session->refuse_unanswered();
        touch(*session);
    }
}

// It has nothing of what the one before had.
void ApplicationsCore::handle(const bus::ModuleBack &back, TimePoint) {
    if (bus::is_ingress(back.module)) {
        gate_.handle_back(bus::instance_of(back.module));
        send(bus::AgentId::kIngress, endpoints_.all(complete_));
    }
    if (back.module == bus::AgentId::kStorage)
        send(bus::AgentId::kStorage, endpoints_.all(complete_));
    if (back.module == bus::AgentId::kTelemetry) report_again();
    if (back.module != bus::AgentId::kIngress) return;
    ingress_lost_ = false;
    for (auto &[id, session] : sessions_)
        if (session->state() == AppSession::State::kSending) announce(*session, true);
}

void ApplicationsCore::handle(const bus::StorageReady &ready, TimePoint) {
    clock_.judge_start(ready.newest_received);
}

void ApplicationsCore::handle(const bus::ClockConfirm &, TimePoint) {
    clock_.confirm();
}

void ApplicationsCore::announce(const AppSession &session, bool open) {
    send(bus::AgentId::kIngress,
         bus::UpstreamChange{session.id(), kNoLink, open, open, session.next_transfer()});
}

void ApplicationsCore::publish_endpoints() {
    const auto change = endpoints_.poll_change();
    if (!change) return;
    send(bus::AgentId::kIngress, *change);
    send(bus::AgentId::kStorage, *change);
    for (const bus::EndpointEntry &entry : change->endpoints)
        if (entry.removed)
            removed_reports_.push_back(
                {.link = entry.link, .endpoint = entry.endpoint, .removed = true});
}

// ---- the end

void ApplicationsCore::drain(TimePoint now) {
    if (std::exchange(draining_, true)) return;
    take_released(now);
    for (auto &[id, session] : sessions_) {
        if (session->state() == AppSession::State::kSending) {
            session->pause(true);
        } else {
            session->end({});
            leave_endpoint(*session, now);
        }
        touch(*session);
    }
    publish_endpoints();
}

std::optional<bus::Outgoing> ApplicationsCore::poll_message() {
    if (messages_.empty()) return std::nullopt;
    return messages_.pop_front();
}

void ApplicationsCore::send(bus::AgentId to, bus::Message message) {
    messages_.push_back({to, false, std::move(message)});
}

// ---- telemetry

std::vector<bus::EndpointReport> ApplicationsCore::take_reports() {
    std::vector<bus::EndpointReport> reports = std::exchange(removed_reports_, {});
    std::uint64_t all = 0;
    std::uint64_t up = 0;
    endpoints_.for_each([&](Endpoint &endpoint) {
        ++all;
        up += endpoint.up() ? 1 : 0;
        bus::EndpointReport report{
            .link = endpoint.link,
            .endpoint = {endpoint.text.begin(), endpoint.text.end()},
            .configured = endpoint.configured,
            .receivers = static_cast<std::uint32_t>(endpoint.receivers.size()),
            .connections = static_cast<std::uint32_t>(endpoint.connections.size()),
            .waiting = endpoint.queue.bundles(),
            .waiting_bytes = endpoint.queue.bytes(),
            .leased = endpoint.queue.leased(),
            .delivered = endpoint.delivered,
            .delivered_bytes = endpoint.delivered_bytes,
            .sent = endpoint.sent,
            .sent_bytes = endpoint.sent_bytes};
        if (report == endpoint.reported) return;
        endpoint.reported = report;
        reports.push_back(std::move(report));
    });
    counters_.set(ApplicationsCounter::kEndpoints, all);
    counters_.set(ApplicationsCounter::kEndpointsUp, up);
    return reports;
}

void ApplicationsCore::report_again() {
    endpoints_.for_each([](Endpoint &endpoint) { endpoint.reported = {}; });
}

// ---- time

TimePoint ApplicationsCore::next_timeout() const {
    return std::min({gate_.next_timeout(), endpoints_.next_timeout(), complete_at_});
}

void ApplicationsCore::handle_timeout(TimePoint now) {
    take_released(now);
    endpoints_.handle_timeout(now);
    publish_endpoints();
    if (complete_at_ > now) return;
    complete_at_ = kNever;
    complete_ = true;
    send(bus::AgentId::kIngress, endpoints_.all(true));
    send(bus::AgentId::kStorage, endpoints_.all(true));
}

}  // namespace farlink::applications
