// SPDX-License-Identifier: Apache-2.0
// The module of applications without I/O: their connections, the endpoints that they register,
// what they send and what they receive.
// Owned by the applications agent; one thread; no socket, clock or log.
// To the rest of the node an endpoint is a link: up while an application receives there. What
// applications send goes to ingress like bundles of a session with acknowledgements.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/clock_guard.hpp"
#include "common/bus/messages.hpp"
#include "common/bus/release_gate.hpp"
#include "common/config/applications/applications_config.hpp"
#include "common/telemetry/applications_counters.hpp"
#include "module/applications/core/access/access_table.hpp"
#include "module/applications/core/deliveries.hpp"
#include "module/applications/core/endpoints/endpoint_registry.hpp"
#include "module/applications/core/sending/submissions.hpp"
#include "module/applications/core/session/app_session.hpp"

namespace farlink::applications {

class ApplicationsCore final : private SessionHost {
public:
    /// A restarted module may have fewer endpoints than the one before, since applications connect
    /// again: only after this time the others are gone.
    static constexpr Duration kReconnectTime = seconds(30);

    /// `seed` differs from start to start, `key` is secret. `pool` is the loop's.
    /// Bundles that are delivered or end here are recorded in `history`.
    ApplicationsCore(config::ApplicationsNode config, const ResolvedNames &names, SlabPool &pool,
                     WallClock clock, std::uint64_t seed, const SipKey &key, TimePoint started,
                     history::BundleHistory history = {});
    ~ApplicationsCore();

    // ---- connections
    /// Null: there are too many, or the node is stopping; `why`, if given, gets the reason.
    [[nodiscard]] AppSession *open(Identity identity, TimePoint now,
                                   std::string_view *why = nullptr);
    /// `size` octets were read into the session's space; 0: see AppSession::may_resume().
    void handle_bytes(AppSession &session, std::size_t size, ReadBuffer &buffer, TimePoint now);
    /// Octets of the session's queue were written.
    void handle_written(AppSession &session, TimePoint now);
    void handle_timeout(AppSession &session, TimePoint now);
    /// The connection is gone, or it has ended and everything is written: the session is no more.
    void close(AppSession &session, TimePoint now);
    /// The next session with octets to write, or that has ended, or may be read again.
    [[nodiscard]] std::optional<UpstreamId> poll_touched();
    [[nodiscard]] AppSession *find(UpstreamId session);

    // ---- from the bus
    void handle(bus::ForwardBatch message, TimePoint now);
    void handle(bus::ReleaseBatch message, TimePoint now);
    void handle(bus::BatchOutcome message, TimePoint now);
    void handle(const bus::TransferDispositions &dispositions, TimePoint now);
    void handle(const bus::UpstreamPause &pause, TimePoint now);
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle(const bus::ModuleBack &back, TimePoint now);
    void handle(const bus::StorageReady &ready, TimePoint now);
    void handle(const bus::ClockConfirm &confirm, TimePoint now);
    void set_wall_clock(WallClock reading) { (void)clock_.handle_reading(reading); }

    /// The node stops: receivers leave, and what they have not accepted goes back; senders get the
    /// answers that are due, and are not read any more.
    void drain(TimePoint now);
    /// Batches of what applications have sent that ingress has.
    [[nodiscard]] std::uint64_t lent() const { return lent_; }

    [[nodiscard]] std::optional<bus::Outgoing> poll_message();
    /// What telemetry has not got yet of each endpoint.
    [[nodiscard]] std::vector<bus::EndpointReport> take_reports();
    /// Telemetry has restarted.
    void report_again();
    [[nodiscard]] telemetry::ApplicationsCounters &counters() { return counters_; }
    [[nodiscard]] EndpointRegistry &endpoints() { return endpoints_; }

    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

private:
    Verdict configure(AppSession &session, const ConnectionConfig &config, TimePoint now) override;
    Verdict admit(const AppSession &session, const BundleAdu &adu, AduFields &fields,
                  TimePoint now) override;
    void handle_accepted(AppSession &session, const LeasedAdu &adu, TimePoint now) override;

    [[nodiscard]] Verdict judge(const AppSession &session, const ConnectionConfig &config,
                                std::optional<bp::Eid> &endpoint) const;
    void take(BatchPtr batch, TimePoint now);
    void take_released(TimePoint now);
    void submit(AppSession &session);
    void leave_endpoint(AppSession &session, TimePoint now);
    void touch(AppSession &session);
    void publish_endpoints();
    void announce(const AppSession &session, bool open);
    void send(bus::AgentId to, bus::Message message);

    const config::ApplicationsNode config_;
    const std::string node_id_;
    AccessTable access_;
    HeadMemory memory_;
    BatchPool batches_{BatchOwner::kApplications};
    ClockGuard clock_;
    telemetry::ApplicationsCounters counters_;
    EndpointRegistry endpoints_;
    Submissions submissions_;
    Deliveries deliveries_;
    bus::ReleaseGate gate_;
    std::uint64_t lent_ = 0;
    std::uint32_t next_session_;
    std::size_t without_grant_ = 0;  ///< connections that may do nothing
    std::unordered_map<UpstreamId, std::unique_ptr<AppSession>> sessions_;
    std::unordered_map<std::string, std::size_t> connections_of_;  ///< by name of the identity
    Ring<UpstreamId> touched_;
    std::unordered_map<UpstreamId, bool> is_touched_;
    Ring<bus::Outgoing> messages_;
    std::vector<bus::EndpointReport> removed_reports_;
    TimePoint complete_at_;  ///< when all applications of an earlier run have connected again
    bool complete_ = false;
    bool draining_ = false;
    bool ingress_lost_ = false;
};

}  // namespace farlink::applications
