// SPDX-License-Identifier: Apache-2.0
// Gives the bundles of an endpoint to its receivers, and returns batches to their owners.
// Owned by ApplicationsCore; one thread.
// A bundle is delivered once: what was accepted before is recognised by its identity, and a copy
// waits while a receiver has the bundle. What one had and did not accept is given again, and
// marked.
#pragma once

#include <functional>
#include <unordered_map>

#include "common/base/clock_guard.hpp"
#include "common/bp/parse.hpp"
#include "common/bus/messages.hpp"
#include "common/history/bundle_history.hpp"
#include "common/telemetry/applications_counters.hpp"
#include "module/applications/core/bundle_keys.hpp"
#include "module/applications/core/eid_text.hpp"
#include "module/applications/core/endpoints/endpoint.hpp"
#include "module/applications/core/leases/recent_bundles.hpp"
#include "module/applications/core/session/app_session.hpp"

namespace farlink::applications {

using telemetry::ApplicationsCounter;

class Deliveries {
public:
    /// `session_of` returns the session of a receiver, `touch` is called for one that has octets to
    /// write, `send` puts messages on the bus.
    struct Calls {
        std::function<AppSession &(UpstreamId)> session_of;
        std::function<void(AppSession &)> touch;
        std::function<void(bus::AgentId, bus::Message)> send;
    };
    /// What was received before `started` may have been given by an earlier run.
    Deliveries(const ClockGuard &clock, telemetry::ApplicationsCounters &counters,
               TimePoint started, const SipKey &key, Calls calls, history::BundleHistory history)
        : clock_(clock),
          counters_(counters),
          started_(started),
          calls_(std::move(calls)),
          history_(std::move(history)),
          keys_(key) {}

    /// Bundles have come for the endpoint; they return at once when it has no receiver.
    void take(Endpoint *endpoint, BatchPtr batch, TimePoint now);
    /// Gives as much as the receivers take.
    void distribute(Endpoint &endpoint, TimePoint now);
    void handle_accepted(Endpoint &endpoint, const LeasedAdu &adu, TimePoint now);
    /// The receiver is gone.
    void take_back(Endpoint &endpoint, Ring<LeasedAdu> leases);
    /// Nobody receives any more.
    void return_all(Endpoint &endpoint);

private:
    [[nodiscard]] AppSession *next_receiver(Endpoint &endpoint);
    [[nodiscard]] bool give(AppSession &receiver, Endpoint &endpoint,
                            const DeliveryQueue::Lease &lease, TimePoint now);
    [[nodiscard]] bool is_done_with(Endpoint &endpoint, const DeliveryQueue::Lease &lease,
                                    std::uint64_t key);
    /// `of_copy` is called with each copy of the bundle.
    template <class OfCopy>
    void end_lease(std::uint64_t key, OfCopy of_copy);
    void decide(Endpoint &endpoint, const DeliveryQueue::Lease &lease, Outcome outcome);
    void expire(Endpoint &endpoint, const DeliveryQueue::Lease &lease, TimePoint now);
    void record(const DeliveryQueue::Lease &lease, history::Ending ending, bp::ReportReason reason,
                TimePoint now);
    void report(const DeliveryQueue::Lease &lease, bus::ReportEvent event, bp::ReportReason reason,
                std::uint64_t payload_bytes);
    void return_finished(Endpoint &endpoint);
    void give_back(BatchPtr batch);

    const ClockGuard &clock_;
    telemetry::ApplicationsCounters &counters_;
    const TimePoint started_;
    Calls calls_;
    history::BundleHistory history_;
    BundleKeys keys_;
    RecentBundles accepted_;
    RecentBundles given_before_;  ///< and not accepted
    KeySet leased_;               ///< a receiver has them
    /// Copies of those: they wait for what becomes of the first.
    std::unordered_multimap<std::uint64_t, DeliveryQueue::Lease> copies_;
    std::vector<ByteView> payload_;
    EidText sources_;
    EidText destinations_;
    EidText report_tos_;
};

}  // namespace farlink::applications
