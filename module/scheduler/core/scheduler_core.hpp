// SPDX-License-Identifier: Apache-2.0
// The state of every link: its contacts by the plan, and its connection as egress reports it.
// Owned by the scheduler's agent, which passes in messages and time and sends the messages of
// poll_message(); one thread.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/invariant.hpp"
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
    bool cuts_to_contact = false;  ///< as in bus::LinkStatus
};

/// The contacts of a node without a contact plan: one per neighbour, for ever, at unlimited rate.
[[nodiscard]] std::vector<bus::Contact> permanent_contacts(
    NodeNumber node, const std::vector<OutductEntry> &outducts);

struct SchedulerSetup {
    NodeNumber node;  ///< this node
    std::vector<OutductEntry> outducts;
    /// In absolute DTN milliseconds; without a plan every outduct is planned for ever.
    std::optional<std::vector<bus::Contact>> plan;
    std::uint64_t epoch = 0;  ///< of the published events; differs after every start
    WallClock clock;
    config::LinkPlacement placement{};  ///< which instance of egress has which link
};

/// Publishes ContactStart and ContactEnd for every outduct, LinkUp while a contact is open and the
/// link is connected, and LinkDown when either ends; a change of rate repeats LinkUp.
/// Only the router gets the plan: whole at the start and with its snapshots, otherwise as changes.
///
/// A link that is added while the node runs, or opened by a neighbour, follows the plan if the plan
/// has contacts with that neighbour; otherwise it is planned for ever.
///
/// A link that the operator has disabled has no contacts until it is enabled again. A rate or
/// one-way light time that the operator has set for a link overrides its contacts until it is
/// reset; the plan, and with it the router, is unaffected. Each of these changes also publishes a
/// snapshot as an event of its own, with the links' settings.
///
/// A contact that is open runs in monotonic time, so that a step of the clock does not cut it;
/// later contacts follow the clock.
class SchedulerCore {
public:
    explicit SchedulerCore(SchedulerSetup setup);

    void handle(const bus::LinkStatus &status, TimePoint now);
    void handle(const bus::SnapshotRequest &request, TimePoint now);
    /// An unknown link is ignored.
    void handle(const bus::LinkAdmin &order, TimePoint now);
    void handle(const bus::LinkOverride &order, TimePoint now);
    void handle(const bus::NeighbourDepleted &report, TimePoint now);
    void handle(bus::PlanReplace change, TimePoint now);
    void handle(bus::PlanChange change, TimePoint now);
    /// An egress in another process is gone, and with it its connections. A new one reports those
    /// that it has.
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle_timeout(TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const {
        return std::min(next_contact(), repeat_.next_timeout());
    }
    /// When a contact begins, changes or ends next.
    [[nodiscard]] TimePoint next_contact() const;

    /// Replaces the plan. A link stays up when both plans agree that it is; ContactStart is
    /// repeated when the end of its contact moves.
    void replace_plan(std::vector<bus::Contact> plan, TimePoint now);
    /// Sets the clock as of `now`. Returns the difference from its previous setting.
    milliseconds set_wall_clock(const WallClock &clock, TimePoint now);

    [[nodiscard]] std::optional<bus::Outgoing> poll_message();

    [[nodiscard]] const std::vector<bus::Contact> &plan() const { return plan_; }

private:
    struct Link {
        LinkId id = kNoLink;
        bool connected = false;
        bool enabled = true;   ///< not disabled by the operator
        bool adopted = false;  ///< added while the node runs
        std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
        bool fragments = true;         ///< as in bus::LinkStatus
        bool cuts_to_contact = false;  ///< the same
        std::optional<BitRate> rate;   ///< the operator's, in place of the contact's
        std::optional<Duration> owlt;  ///< likewise

        [[nodiscard]] bool overridden() const { return rate || owlt; }
        /// A step of the plan with the operator's overrides.
        [[nodiscard]] RateStep of(const RateStep &planned) const {
            return {planned.start, rate.value_or(planned.rate), owlt.value_or(planned.owlt)};
        }
    };
    /// An open contact; it runs by `clock`, the setting at its start.
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
        TimePoint depleted_until{};      ///< until then its storage is depleted
        std::vector<Link> links;

        /// Only while a contact is open.
        [[nodiscard]] const Running &open_contact() const {
            FARLINK_INVARIANT(running);
            return *running;
        }
    };

    /// The messages to send; the copy of a core for a dry run starts with none.
    class Outbox {
    public:
        Outbox() = default;
        Outbox(const Outbox &) {}
        Outbox &operator=(const Outbox &) = delete;
        ~Outbox() = default;

        void push_back(bus::Outgoing message) { queue_.push_back(std::move(message)); }
        [[nodiscard]] std::optional<bus::Outgoing> poll();

    private:
        std::deque<bus::Outgoing> queue_;
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
    /// `id`: of the request that it answers.
    [[nodiscard]] bus::LinkSnapshot snapshot(bus::RequestId id, TimePoint now) const;
    [[nodiscard]] bus::LinkEntry entry_of(const Neighbour &neighbour, const Link &link,
                                          TimePoint now) const;

    NodeNumber node_;
    config::LinkPlacement placement_;
    bus::EventHeader last_event_;
    bus::EventRepeat repeat_;
    WallClock clock_;
    std::vector<bus::Contact> plan_;
    std::size_t unplanned_ = 0;          ///< the last contacts of plan_: of links without a plan
    std::vector<Neighbour> neighbours_;  ///< ascending by number
    Outbox messages_;
};

}  // namespace farlink::scheduler
