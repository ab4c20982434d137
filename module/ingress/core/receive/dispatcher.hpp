// SPDX-License-Identifier: Apache-2.0
// Decides for each bundle whether it goes to a next hop or to storage: by its source, destination,
// priority and size, and by whether it was here before.
// Owned by IngressCore; one thread.
#pragma once

#include <cstdint>
#include <optional>

#include "common/routing/forwarding_table.hpp"
#include "common/routing/reassembly_rules.hpp"
#include "module/ingress/core/local/local_deliveries.hpp"
#include "module/ingress/core/outcomes/bundle_outcomes.hpp"
#include "module/ingress/core/queues/next_hop_queues.hpp"

namespace farlink::ingress {

class Dispatcher {
public:
    /// `first_arrival` is above every arrival number of an earlier run.
    Dispatcher(IngressContext &context, NextHopQueues &queues, BundleOutcomes &outcomes,
               LocalDeliveries &local, std::uint64_t first_arrival);

    /// Storage joins the bundle, a fragment, with others.
    [[nodiscard]] bool joins(const bp::BundleView &view) const { return reassembly_.joins(view); }
    /// Adds the bundle to a batch, unless its hops are used up.
    void dispatch(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    /// A bundle too large for memory, by its first piece: what storage gets of it. Empty when its
    /// hops are used up.
    struct Spooled {
        BatchedBundle bundle;
        NodeNumber sender;
    };
    [[nodiscard]] std::optional<Spooled> describe_spooled(const bp::BundleView &view,
                                                          const Arrival &first, TimePoint now);
    /// The bundles of a batch that storage has refused: each is dispatched anew, or has expired.
    void dispatch_again(const Batch &batch, TimePoint now);

    /// The rules of the configuration have changed.
    void apply_routing() {
        forwarding_.set_rules(context_.config.routing);
        reassembly_.set_rules(context_.config.routing);
        claimed_ = {};
    }
    void handle(const bus::RouteUpdate &update) {
        forwarding_.handle(update);
        claimed_ = {};
    }

private:
    void delete_without_hops(const bp::BundleView &view, const Arrival &arrival, TimePoint now);
    [[nodiscard]] BatchedBundle describe(const bp::BundleView &view, const Arrival &arrival,
                                         const routing::Destination &destination, TimePoint now);
    [[nodiscard]] std::uint64_t take_arrival_number(TimePoint now);
    [[nodiscard]] NodeNumber sender_of(const bp::BundleView &view, const Arrival &arrival);
    void note_fit(NodeNumber destination, const bp::BundleView &view, const Arrival &arrival);
    [[nodiscard]] Priority priority_of(const bp::BundleView &view,
                                       const routing::Destination &destination) const;
    [[nodiscard]] bool is_critical(const bp::BundleView &view,
                                   const routing::Destination &destination,
                                   Priority priority) const;
    [[nodiscard]] bool gets_hop_limit(const bp::BundleView &view, const Arrival &arrival,
                                      bool fallback) const;
    [[nodiscard]] bool comes_again(const bp::BundleView &view, const Arrival &arrival,
                                   bool fallback);
    void note_loop(const bp::BundleView &view, const Arrival &arrival,
                   const routing::BundleFacts &bundle, TimePoint now);
    /// What decides whether a bundle may be cut for a link that is too small for it.
    struct CutCandidate {
        const bp::BundleView &view;
        const Arrival &arrival;
    };
    [[nodiscard]] static bool takes(const OutputQueue &queue, std::uint64_t size,
                                    const CutCandidate &bundle);
    /// The index of the queue for a bundle to an application.
    [[nodiscard]] std::size_t queue_to(LinkId application, const BatchedBundle &bundle,
                                       const CutCandidate &whole, TimePoint now);
    /// Bundles of its flow are in storage, which go first.
    [[nodiscard]] bool is_behind(std::uint64_t flow, const Arrival &arrival, TimePoint now) {
        return context_.flows.backlogged(flow) && stays_behind(flow, arrival, now);
    }
    [[nodiscard]] bool stays_behind(std::uint64_t flow, const Arrival &arrival, TimePoint now);
    /// The index of the queue for the bundle. `fallback`: see routing::Decision.
    [[nodiscard]] std::size_t queue_for(const routing::BundleFacts &bundle, std::uint64_t flow,
                                        const CutCandidate &whole, bool &fallback, TimePoint now);

    /// The last previous node that a bundle has named: they come in runs.
    struct Claimed {
        NodeNumber node;
        bool is_neighbour = false;
    };

    IngressContext &context_;
    NextHopQueues &queues_;
    BundleOutcomes &outcomes_;
    LocalDeliveries &local_;
    routing::ForwardingTable forwarding_;
    routing::ReassemblyRules reassembly_;
    Claimed claimed_;
    const std::uint64_t first_arrival_;
    std::uint64_t next_arrival_;
    TimePoint first_bundle_ = kNever;
    std::vector<SlabRef> slabs_;  ///< of the bundle that is dispatched again
};

}  // namespace farlink::ingress
