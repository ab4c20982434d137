// SPDX-License-Identifier: Apache-2.0
// Delivers bundles for this node to its services, and makes status reports. The services recognise
// repeats whatever link they come by, so the first instance of ingress has them; the others relay
// such bundles to it. Fragments are joined by storage before.
// Owned by IngressCore; one thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/bp/status_reports.hpp"
#include "module/ingress/core/local/local_relay.hpp"
#include "module/ingress/core/local/local_services.hpp"
#include "module/ingress/core/local/pings.hpp"
#include "module/ingress/core/state/ingress_context.hpp"

namespace farlink::ingress {

class LocalDeliveries {
public:
    /// `run` differs from start to start.
    LocalDeliveries(IngressContext &context, std::uint64_t run);

    /// Delivers a contiguous bundle that a link has brought, or relays it.
    void deliver(const bp::BundleView &view, ByteView bundle, const Arrival &arrival,
                 TimePoint now);
    /// Delivers a bundle that storage has released: it was joined from fragments.
    void deliver_stored(const bp::BundleView &view, ByteView bundle, TimePoint now);
    /// There is a service at its destination, at least in the first instance.
    [[nodiscard]] bool serves(const bp::BundleView &view) const { return services_.serves(view); }
    /// Delivers a bundle that another instance has relayed; the caller answers.
    void handle(const bus::LocalDelivery &message, TimePoint now);
    /// The first instance has delivered a bundle that this one relayed.
    void handle(const bus::LocalDelivered &answer, TimePoint now);
    /// The first instance has restarted: relays the unanswered bundles again.
    void relay_again();

    /// Sends an echo request; the reply to the operator follows with the answer.
    void handle(const bus::PingRequest &request, TimePoint now);
    void handle(const bus::OriginateRequest &request, TimePoint now) {
        services_.originate(request, context_.clock.dtn_at(now));
    }
    /// Makes a status report, if the node makes any; the bundle must request it.
    void report(bus::ReportEvent event, bp::ReportReason reason, ByteView head,
                std::uint64_t payload_length, TimePoint now);

    /// The next bundle that a service has made.
    [[nodiscard]] std::optional<Bytes> poll_originated() { return services_.poll_originated(); }
    [[nodiscard]] TimePoint next_timeout() const { return services_.next_timeout(); }
    void handle_timeout(TimePoint now) {
        services_.handle_timeout(context_.clock.dtn_at(now), now);
    }

    /// Takes the limits of the configuration, which may have changed.
    void apply_settings();

private:
    void relay(ByteView bundle, const Arrival &arrival, TimePoint now);
    /// `sender`: the neighbour that brought it, where that is certain.
    void deliver_here(const bp::BundleView &view, ByteView bundle, NodeNumber sender,
                      TimePoint now);
    void finish(const bp::BundleView &view, ByteView bundle, Delivery delivery, NodeNumber sender,
                TimePoint now);

    IngressContext &context_;
    LocalServices services_;
    LocalRelay relay_;
    Pings pings_;
};

}  // namespace farlink::ingress
