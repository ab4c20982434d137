// SPDX-License-Identifier: Apache-2.0
// Egress without I/O: which bundle leaves next by which link, its new head, and its outcome.
// Owned by the egress agent (or a simulated node); one thread; no socket, clock or log.
// Batches are lent by their owners and go back to them complete, with an outcome a bundle.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/bus/release_gate.hpp"
#include "module/egress/core/backlog_watch.hpp"
#include "module/egress/core/batch_returns.hpp"
#include "module/egress/core/bundle_renderer.hpp"
#include "module/egress/core/link_contacts.hpp"
#include "module/egress/core/refusals.hpp"

namespace farlink::egress {

class EgressCore {
public:
    /// Bundles that leave or end here are recorded in `history`.
    EgressCore(NodeNumber local_node, const std::vector<config::OutductConfig> &outducts,
               WallClock clock, bus::AgentId self = bus::AgentId::kEgress,
               history::BundleHistory history = {});

    /// Of the hop count block that bundles with kRequestHopLimit get; 0: they get none.
    void set_added_hop_limit(std::uint8_t limit) { renderer_.set_added_hop_limit(limit); }

    /// Bundles above this are cut where they may be; 0: only where a link asks for it.
    void set_fragment_above(std::uint64_t bytes) { links_.set_fragment_above(bytes); }

    // ---- from the bus
    void handle(bus::ForwardBatch message, TimePoint now);
    void handle(bus::ReleaseBatch message, TimePoint now);
    void handle(const bus::ContactStart &event, TimePoint now);
    void handle(const bus::ContactEnd &event, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    /// A module of another process is gone.
    void handle(const bus::ModuleLost &lost, TimePoint now);
    /// It has restarted, without its former state.
    void handle(const bus::ModuleBack &back, TimePoint now);
    // ---- the clock, which a ClockGuard judges
    /// Once, before the first bundle: `last_seen` is the newest DTN time in the store.
    void judge_clock(DtnTime last_seen);
    void set_wall_clock(WallClock reading);
    void handle(const bus::ClockConfirm &confirm, TimePoint now);
    // ---- links that come and go
    void add_link(LinkId link, NodeNumber neighbour, const OutductTraits &traits);
    /// What waits for it goes back, and the scheduler is informed; what it has begun stays with it
    /// until it has disconnected.
    void remove_link(LinkId link);
    /// The node stops: every link closes, and bundles that are not started return to their owner.
    void drain();

    // ---- from the links
    /// Bundles above `max_bundle_bytes` need another link, and so do those in pieces if it does not
    /// take them.
    void handle_connected(LinkId link, std::uint64_t max_bundle_bytes, TimePoint now,
                          bool takes_pieces = false);
    /// The connection is gone for now; bundles not reported as transmitted did not arrive.
    void handle_disconnected(LinkId link, TimePoint now);
    /// Every bundle with a token below `token` is handed over to the next hop.
    void handle_transmitted(LinkId link, std::uint64_t token, TimePoint now);
    /// The next hop did not take the bundle with this token.
    void handle_refused(LinkId link, std::uint64_t token, NextHopRefusal refusal, TimePoint now);
    /// The link takes bundles again.
    void handle_writable(LinkId link);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    // ---- what to do
    /// The next link that may have something to send; each once until something changes for it.
    [[nodiscard]] std::optional<LinkId> poll_ready() { return links_.poll_ready(); }
    [[nodiscard]] std::optional<LinkOrder> poll_link_order() { return contacts_.poll_order(); }
    /// Renders up to out.size() bundles of at most `max_bytes` together (at least one) for `link`.
    /// Their heads are valid until the next call, their bodies until their outcome is known.
    [[nodiscard]] std::size_t poll_transmit(LinkId link, std::span<TxBundle> out,
                                            std::uint64_t max_bytes, TimePoint now);
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();

    [[nodiscard]] telemetry::EgressCounters &counters() { return context_.counters; }
    /// The links and what is counted of each.
    [[nodiscard]] LinkTable &links() { return links_; }

private:
    void enqueue(BatchPtr batch);
    void enqueue_piece(EgressLink &link, BatchPtr batch);
    void take_marker(BatchPtr marker);
    void break_off(EgressLink &link);
    void enqueue_released(TimePoint now);
    void refuse(EgressLink &link, ServedBatch &served, std::uint64_t place, NextHopRefusal refusal,
                TimePoint now);
    [[nodiscard]] Outcome judge(EgressLink &link, const BatchedBundle &bundle,
                                NextHopRefusal refusal, TimePoint now);
    void count_suspension();
    void report_backlog(TimePoint now);
    void publish_connected(const EgressLink &link);

    EgressContext context_;
    LinkTable links_;
    BatchReturns returns_;
    LinkContacts contacts_;
    BundleRenderer renderer_;
    bus::ReleaseGate gate_;
    RefusalBudget refused_;
    BacklogWatch backlog_;
};

}  // namespace farlink::egress
