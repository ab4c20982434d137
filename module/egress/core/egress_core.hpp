// SPDX-License-Identifier: Apache-2.0
// Egress thinks here: which bundle leaves next by which link, its new head, and its outcome.
// Owned by the egress agent (or a simulated node); one thread; no socket, clock or log.
// Batches are lent by their owners and go back to them complete, with an outcome a bundle.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/clock_guard.hpp"
#include "common/bp/admin.hpp"
#include "common/bp/transit.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "common/telemetry/egress_counters.hpp"
#include "common/telemetry/link_tallies.hpp"
#include "module/egress/core/backlog_watch.hpp"
#include "module/egress/core/out_queue.hpp"
#include "module/egress/core/refusals.hpp"
#include "module/egress/core/release_gate.hpp"
#include "module/egress/core/residual_contact_volume.hpp"

namespace farlink::egress {

using telemetry::EgressCounter;
using telemetry::LinkCounter;

/// What the agent must do with a link.
enum class LinkCommand : std::uint8_t { kOpen, kSuspend, kClose, kSetRate, kSetOwlt };
struct LinkOrder {
    LinkId link = kNoLink;
    LinkCommand command = LinkCommand::kOpen;
    BitRate rate{};   ///< of the contact
    Duration owlt{};  ///< likewise
};

/// What is known of a link before it connects.
struct OutductTraits {
    std::string_view node_id{};  ///< what this node calls itself there; empty: as everywhere
    std::uint32_t stored_share_percent = 50;
    BitRate rate_limit{};  ///< 0: none
    /// What is not acknowledged when its contact ends has to be sent again: TCPCL. (LTP's sessions
    /// wait for the next contact, the other layers for no answer.)
    bool needs_answers = false;
};
[[nodiscard]] OutductTraits terms_of(const config::OutductConfig &outduct);

class EgressCore {
public:
    EgressCore(NodeNumber local_node, const std::vector<config::OutductConfig> &outducts,
               WallClock clock, bus::AgentId self = bus::AgentId::kEgress);

    /// Of the hop count block that bundles with kRequestHopLimit get; 0: they get none.
    void set_added_hop_limit(std::uint8_t limit) { added_hop_limit_ = limit; }

    // ---- from the bus
    void handle(bus::ForwardBatch message, TimePoint now);
    void handle(bus::ReleaseBatch message, TimePoint now);
    void handle(const bus::ContactStart &event, TimePoint now);
    void handle(const bus::ContactEnd &event, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    /// A module of another process is gone.
    void handle(const bus::ModuleLost &lost, TimePoint now);
    /// It is there again, and knows nothing of what it was told.
    void handle(const bus::ModuleBack &back, TimePoint now);
    // ---- the clock, which a ClockGuard judges
    /// Once, before the first bundle: `last_seen` is the newest DTN time that the node knows of.
    void judge_clock(DtnTime last_seen);
    void set_wall_clock(WallClock reading);
    void handle(const bus::ClockConfirm &confirm, TimePoint now);
    // ---- links that come and go
    void add_link(LinkId link, NodeNumber neighbour, const OutductTraits &terms);
    /// What waits for it goes back and the scheduler hears that it is gone; what it has begun stays
    /// with it until it has disconnected.
    void remove_link(LinkId link);
    /// The node is stopping: every link closes, and what it has not begun goes back to its owner.
    void drain();

    // ---- from the links
    /// Bundles above `max_bundle_bytes` need another link.
    void handle_connected(LinkId link, std::uint64_t max_bundle_bytes, TimePoint now);
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
    [[nodiscard]] std::optional<LinkId> poll_ready();
    [[nodiscard]] std::optional<LinkOrder> poll_link_order();
    /// Renders up to out.size() bundles of at most `max_bytes` together (at least one) for `link`.
    /// Their heads are valid until the next call, their bodies until their outcome is known.
    [[nodiscard]] std::size_t poll_transmit(LinkId link, std::span<TxBundle> out,
                                            std::uint64_t max_bytes, TimePoint now);
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();

    [[nodiscard]] telemetry::EgressCounters &counters() { return counters_; }
    /// What is counted of each link.
    [[nodiscard]] telemetry::LinkTallies &tallies() { return tallies_; }
    /// A neighbour has sent bundles by a link that is there for sending.
    void count_received(LinkId link, std::uint64_t bundles, std::uint64_t bytes);
    /// Such bundles were refused to it.
    void count_refused(LinkId link, std::uint64_t bundles);
    /// The link has gone, and what was counted of it.
    void forget_counts(LinkId link);
    /// Bytes of bundles that wait for this link and were not yet rendered.
    [[nodiscard]] std::uint64_t queued_bytes(LinkId link) const;

private:
    /// A batch whose bundles carry the tokens first_token, first_token + 1, ...
    struct Served {
        BatchPtr batch;
        std::uint64_t first_token = 0;
        std::uint32_t rendered = 0;   ///< bundles already given to the link (or failed)
        std::uint32_t reported = 0;   ///< bundles whose fate handle_transmitted has settled
        bool gone_through = false;    ///< the owner has heard of those that have no way out
        std::uint64_t published = 0;  ///< bundles of which the owner has heard
        std::uint64_t published_bytes = 0;
    };
    struct Link {
        LinkId id = kNoLink;
        NodeNumber neighbour;
        bool planned = false;
        bool suspended = false;  ///< its contact is over; what was sent may wait for the next one
        bool connected = false;
        std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< while it is connected
        bool ready = false;                                  ///< in ready_
        bool removed = false;
        BitRate rate;
        DtnTime end = kDtnNever;  ///< of its contact
        ResidualContactVolume room;
        bool needs_answers = false;
        Duration owlt{};
        TimePoint not_before{};  ///< the next hop has no room: nothing is sent before this
        Duration back_off{};
        std::uint64_t next_token = 0;
        /// This node has another id towards the neighbour, and names that as the previous one.
        std::optional<bp::TransitEditor> editor;
        OutQueue queue;
        Ring<Served> served;  ///< oldest first; only the last may be partly rendered
        telemetry::LinkTallies::Entry *tally = nullptr;  ///< found at its first use
    };

    void enqueue(BatchPtr batch);
    void enqueue_released(TimePoint now);
    void plan(LinkId id, bool planned, BitRate rate, TimePoint now);
    void set_owlt(LinkId id, Duration owlt);
    void set_end(LinkId id, DtnTime end);
    void close(Link &link);
    void mark_ready(Link &link);
    void refuse(Link &link, Batch &batch, BatchedBundle &bundle, NextHopRefusal refusal,
                TimePoint now);
    [[nodiscard]] Link *find(LinkId link);
    [[nodiscard]] bool begin_batch(Link &link);
    [[nodiscard]] bool render(const bp::TransitEditor &editor, Batch &batch, BatchedBundle &bundle,
                              TxBundle &out, MutableBytes space, TimePoint now);
    [[nodiscard]] bp::TransitHead head_of(const Batch &batch, const BatchedBundle &bundle) const;
    void set_outcome(Batch &batch, BatchedBundle &bundle, Outcome outcome);
    void report(const Batch &batch, const BatchedBundle &bundle, bus::ReportEvent event,
                bp::ReportReason reason);
    void retire(Link &link);
    void return_unsent(Link &link);
    void return_queue(Link &link);
    void return_whole(Link *link, BatchPtr batch);
    void finish_rendering(Link &link);
    void give_back(Link *link, Served served);
    /// `link`: in whose queue they were counted, if they were.
    void send_back(Link *link, BatchPtr batch, std::uint64_t bundles, std::uint64_t bytes);
    [[nodiscard]] telemetry::LinkCounters &tally(Link &link);
    void count_sent(Link &link, std::uint64_t bundles, std::uint64_t bytes);
    void count_suspension();
    void report_backlog(TimePoint now);
    void publish_connected(const Link &link);

    std::deque<Link> links_;  ///< never removed: a link that is gone is only marked so
    std::unordered_map<LinkId, std::size_t> places_;
    Ring<std::size_t> ready_;  ///< places of links
    ReleaseGate gate_;
    RefusalBudget refused_;
    BacklogWatch backlog_;
    bp::TransitEditor editor_;
    std::uint8_t added_hop_limit_ = 0;
    ClockGuard clock_;
    WallClock reading_;
    Bytes scratch_;
    Ring<bus::Outgoing> messages_;
    Ring<LinkOrder> orders_;
    telemetry::EgressCounters counters_;
    telemetry::LinkTallies tallies_;
    bool draining_ = false;
};

}  // namespace farlink::egress
