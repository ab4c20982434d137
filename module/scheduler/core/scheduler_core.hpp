// SPDX-License-Identifier: Apache-2.0
// The truth about links: what the contact plan says, what egress reports, and when they differ.
// Owned by the scheduler's agent, which brings messages and time and sends what poll_message()
// yields; one thread.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "common/base/time.hpp"
#include "common/bus/event_stream.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/link_placement.hpp"
#include "module/scheduler/core/contact_timeline.hpp"

namespace farlink::scheduler {

/// An outduct: the link and the neighbour at its other end. Several may lead to one neighbour.
struct OutductEntry {
    LinkId link = kNoLink;
    NodeNumber neighbour;
};

/// The contacts of a node without a contact plan: each neighbour, for ever, at unlimited rate.
[[nodiscard]] std::vector<bus::Contact> permanent_contacts(
    NodeNumber node, const std::vector<OutductEntry> &outducts);

struct SchedulerSetup {
    NodeNumber node;  ///< this node
    std::vector<OutductEntry> outducts;
    /// In absolute DTN milliseconds; without a plan every outduct is planned for ever.
    std::optional<std::vector<bus::Contact>> plan;
    std::uint64_t epoch = 0;  ///< of the published events; another one after every start
    WallClock clock;
    config::LinkPlacement placement{};  ///< which instance of egress has which link
};

/// Publishes ContactStart and ContactEnd for every outduct, LinkUp while a contact is open and the
/// link is connected, and LinkDown when either ends; a change of rate repeats LinkUp.
/// The plan goes to the router alone: whole at the start and with its snapshots, and otherwise what
/// has changed of it.
///
/// A link that comes while the node runs, added or opened by a neighbour, follows the plan if the
/// plan has contacts with that neighbour; if not, it is planned for ever, as it is there.
///
/// A link that the operator has taken down has no contacts until it is enabled again. The rate and
/// the light time that he says for a link hold whatever its contacts say, from contact to contact,
/// until he gives them back; the plan, and with it the router, does not know of it. After either
/// change a snapshot is published as an event of its own, which says how links are steered.
///
/// A contact that has begun runs in monotonic time, so that a step of the clock does not cut it;
/// the contacts that have not begun follow the clock as it is.
class SchedulerCore {
public:
    explicit SchedulerCore(SchedulerSetup setup);

    void handle(const bus::LinkStatus &status, TimePoint now);
    void handle(const bus::SnapshotRequest &request, TimePoint now);
    /// A link that is not known is passed over.
    void handle(const bus::LinkAdmin &order, TimePoint now);
    void handle(const bus::LinkOverride &order, TimePoint now);
    void handle(const bus::NeighbourDepleted &report, TimePoint now);
    void handle(bus::PlanReplace change, TimePoint now);
    void handle(bus::PlanChange change, TimePoint now);
    /// Egress, in another process, is gone, and with it all connections; when it is back it tells
    /// of those that it has.
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle_timeout(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const {
        return std::min(next_contact(), repeat_.next_timeout());
    }
    /// When the next contact begins, changes or ends.
    [[nodiscard]] TimePoint next_contact() const;

    /// Replaces the plan. A link stays up when both plans agree that it is; ContactStart is
    /// repeated when the end of its contact moves.
    void replace_plan(std::vector<bus::Contact> plan, TimePoint now);
    /// A new reading of the clock; takes effect at `now`. How far it is from the one before.
    milliseconds set_wall_clock(const WallClock &clock, TimePoint now);

    [[nodiscard]] std::optional<bus::Outgoing> poll_message();

    [[nodiscard]] const std::vector<bus::Contact> &plan() const { return plan_; }

private:
    struct Link {
        LinkId id = kNoLink;
        bool connected = false;
        bool enabled = true;   ///< the operator has not taken it down
        bool adopted = false;  ///< it came while the node ran
        std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
        std::optional<BitRate> rate;   ///< the operator's, in place of the contact's
        std::optional<Duration> owlt;  ///< likewise

        [[nodiscard]] bool overridden() const { return rate || owlt; }
        /// What is in force of a step of the plan.
        [[nodiscard]] RateStep of(const RateStep &planned) const {
            return {planned.start, rate.value_or(planned.rate), owlt.value_or(planned.owlt)};
        }
    };
    /// A run in progress; `clock` is the reading it began with and runs by.
    struct Running {
        ContactRun run;
        WallClock clock;
        RateStep step;
    };
    struct Neighbour {
        NodeNumber number;
        ContactTimeline timeline;
        std::optional<Running> running;
        DtnTime next_start = kDtnNever;  ///< of the next run, while none is running
        TimePoint depleted_until{};      ///< it has no room for bundles
        std::vector<Link> links;
    };

    /// What is to be sent; a copy of the core, for a trial, begins with nothing.
    struct Outbox : std::deque<bus::Outgoing> {
        Outbox() = default;
        Outbox(const Outbox &) : std::deque<bus::Outgoing>() {}
        Outbox &operator=(const Outbox &) = delete;
        ~Outbox() = default;
    };

    void update_all(TimePoint now);
    void rebuild_timelines();
    void add_unplanned();
    void follow_plan(TimePoint now);
    Neighbour &neighbour_of(NodeNumber number);
    void enable(const Neighbour &neighbour, Link &link);
    void disable(const Neighbour &neighbour, Link &link);
    void publish_snapshot(TimePoint now);
    Link &adopt(const bus::LinkStatus &status, TimePoint now);
    void forget(const bus::LinkStatus &status, TimePoint now);
    void update(Neighbour &neighbour, TimePoint now);
    void begin(Neighbour &neighbour, const ContactRun &run, DtnTime time);
    void set_connected(const Neighbour &neighbour, Link &link, const bus::LinkStatus &status);
    void announce(const Neighbour &neighbour);
    void announce(const Neighbour &neighbour, const Link &link);
    void end(Neighbour &neighbour);
    void step(Neighbour &neighbour, DtnTime time);
    void link_up(const Neighbour &neighbour, const Link &link);
    void link_down(const Neighbour &neighbour, const Link &link, bus::LinkDownReason reason);
    template <class Event>
    void publish(Event event) {
        ++last_event_.sequence;
        event.header = last_event_;
        messages_.push_back({bus::AgentId::kScheduler, true, event});
    }
    void send_plan();
    [[nodiscard]] bus::LinkSnapshot snapshot(TimePoint now) const;
    [[nodiscard]] bus::LinkEntry entry_of(const Neighbour &neighbour, const Link &link,
                                          TimePoint now) const;

    NodeNumber node_;
    config::LinkPlacement placement_;
    bus::EventHeader last_event_;
    bus::EventRepeat repeat_;
    WallClock clock_;
    std::vector<bus::Contact> plan_;
    std::size_t unplanned_ = 0;  ///< the last contacts of plan_: of links that it does not know
    std::vector<Neighbour> neighbours_;  ///< ascending by number
    Outbox messages_;
};

}  // namespace farlink::scheduler
