// SPDX-License-Identifier: Apache-2.0
// The rate and the light time that the operator says for a link, in place of the contact's.
#include <gtest/gtest.h>

#include <sstream>

#include "module/scheduler/core/scheduler_core.hpp"

namespace farlink::scheduler::scheduler_override_test {
namespace {

using Lines = std::vector<std::string>;

constexpr NodeNumber kNode{1};
constexpr LinkId kLink{4};
constexpr LinkId kOther{5};
/// DTN time 1,000,000 ms is monotonic time 0.
constexpr DtnTime kZero = 1'000'000;

TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

bus::Contact contact(std::uint64_t id, DtnTime start, DtnTime end, std::uint64_t rate = 8000) {
    return {id, kNode, NodeNumber{2}, kZero + start, kZero + end, BitRate{rate}, seconds(id)};
}

/// What is heard of links: "up 4 at 8000 over 1 s".
template <class Event>
std::string line(const char *what, const Event &event) {
    std::ostringstream text;
    text << what << ' ' << event.link.value() << " at " << event.rate.value() << " over "
         << std::chrono::duration_cast<seconds>(event.owlt).count() << " s";
    return text.str();
}

class Override : public testing::Test {
protected:
    void begin(std::optional<std::vector<bus::Contact>> plan) {
        core.emplace(SchedulerSetup{.node = kNode,
                                    .outducts = {{kLink, NodeNumber{2}}, {kOther, NodeNumber{2}}},
                                    .plan = std::move(plan),
                                    .epoch = 77,
                                    .clock = {at(0), kZero}});
        (void)received();
        replanned = false;
    }
    Lines received() {
        Lines lines;
        while (const auto out = core->poll_message()) {
            if (const auto *start = std::get_if<bus::ContactStart>(&out->message))
                lines.push_back(line("start", *start));
            if (const auto *up = std::get_if<bus::LinkUp>(&out->message))
                lines.push_back(line("up", *up));
            if (const auto *down = std::get_if<bus::LinkDown>(&out->message))
                lines.push_back("down " + std::to_string(down->link.value()));
            if (const auto *all = std::get_if<bus::LinkSnapshot>(&out->message)) shown = *all;
            replanned |= std::holds_alternative<bus::ContactsUpdate>(out->message);
        }
        return lines;
    }
    Lines connected(bool is, std::int64_t ms) {
        core->handle(bus::LinkStatus{.link = kLink, .neighbour = NodeNumber{2}, .connected = is},
                     at(ms));
        return received();
    }
    Lines say(std::optional<std::uint64_t> rate, std::optional<Duration> owlt, std::int64_t ms,
              LinkId link = kLink) {
        core->handle(bus::LinkOverride{.link = link,
                                       .rate_given = rate.has_value(),
                                       .rate = BitRate{rate.value_or(0)},
                                       .owlt_given = owlt.has_value(),
                                       .owlt = owlt.value_or(Duration{})},
                     at(ms));
        return received();
    }
    Lines advance(std::int64_t ms) {
        core->handle_timeout(at(ms));
        return received();
    }
    bus::LinkEntry entry(std::int64_t ms, LinkId link = kLink) {
        core->handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kSupervisor},
                     at(ms));
        (void)received();
        for (const bus::LinkEntry &each : shown.links)
            if (each.link == link) return each;
        ADD_FAILURE() << "no link " << link.value();
        return {};
    }

    std::optional<SchedulerCore> core;
    bus::LinkSnapshot shown;
    bool replanned = false;
};

TEST_F(Override, IsAnnouncedAtOnceToALinkThatIsUpAndGivenBack) {
    begin(std::vector{contact(1, 0, 1000)});
    EXPECT_EQ(connected(true, 1), Lines{"up 4 at 8000 over 1 s"});
    EXPECT_EQ(say(500, {}, 10), Lines{"up 4 at 500 over 1 s"});
    EXPECT_TRUE(entry(11).overridden);
    EXPECT_FALSE(entry(11, kOther).overridden);
    EXPECT_EQ(entry(11).rate, BitRate{500});
    EXPECT_EQ(entry(11, kOther).rate, BitRate{8000});
    EXPECT_EQ(say(500, seconds(9), 20), Lines{"up 4 at 500 over 9 s"});
    EXPECT_EQ(say({}, seconds(9), 30), Lines{"up 4 at 8000 over 9 s"});
    EXPECT_EQ(say({}, {}, 40), Lines{"up 4 at 8000 over 1 s"});
    EXPECT_FALSE(entry(41).overridden);
    EXPECT_FALSE(replanned) << "the plan is what it was";
}

TEST_F(Override, EveryChangeIsPublishedWithAllLinks) {
    begin(std::vector{contact(1, 5000, 6000)});
    EXPECT_EQ(say(500, {}, 10), Lines{}) << "no contact is open";
    ASSERT_EQ(shown.links.size(), 2U);
    EXPECT_TRUE(shown.links[0].overridden);
    const std::uint64_t sequence = shown.header.sequence;
    EXPECT_EQ(say(500, {}, 20), Lines{});
    EXPECT_EQ(shown.header.sequence, sequence) << "nothing changes";
    EXPECT_EQ(say({}, {}, 30), Lines{});
    EXPECT_EQ(shown.header.sequence, sequence + 1);
    EXPECT_FALSE(shown.links[0].overridden);
}

TEST_F(Override, HoldsFromContactToContactAndThroughConnections) {
    begin(std::vector{contact(1, 0, 100), contact(2, 200, 300, 16'000)});
    (void)connected(true, 1);
    (void)say(500, {}, 10);
    EXPECT_EQ(connected(false, 20), Lines{"down 4"});
    EXPECT_EQ(connected(true, 30), Lines{"up 4 at 500 over 1 s"});
    EXPECT_EQ(advance(100), Lines{"down 4"});
    EXPECT_EQ(advance(200), (Lines{"start 4 at 500 over 2 s", "start 5 at 16000 over 2 s",
                                   "up 4 at 500 over 2 s"}));
    EXPECT_EQ(say({}, {}, 210), Lines{"up 4 at 16000 over 2 s"});
}

TEST_F(Override, AStepOfThePlanBelowItIsNotAnnounced) {
    begin(std::vector{contact(1, 0, 100), contact(1, 100, 200, 16'000)});
    (void)connected(true, 1);
    (void)say(500, {}, 10);
    EXPECT_EQ(advance(100), Lines{}) << "nothing changes for the link";
    EXPECT_EQ(say({}, seconds(1), 110), Lines{"up 4 at 16000 over 1 s"});
}

TEST_F(Override, WorksWithoutAPlan) {
    begin(std::nullopt);
    EXPECT_EQ(say(0, {}, 1), Lines{}) << "unlimited it is anyway";
    EXPECT_TRUE(entry(2).overridden);
    EXPECT_EQ(say(500, seconds(3), 5), Lines{"start 4 at 500 over 3 s"}) << "not connected yet";
    EXPECT_EQ(connected(true, 10), Lines{"up 4 at 500 over 3 s"});
    EXPECT_EQ(say(0, {}, 20), Lines{"up 4 at 0 over 0 s"});
}

TEST_F(Override, OfADisabledLinkWaits) {
    begin(std::nullopt);
    (void)connected(true, 1);
    core->handle(bus::LinkAdmin{kLink, false}, at(2));
    EXPECT_EQ(received(), Lines{"down 4"});
    EXPECT_EQ(say(500, {}, 3), Lines{});
    core->handle(bus::LinkAdmin{kLink, true}, at(4));
    EXPECT_EQ(received(), (Lines{"start 4 at 500 over 0 s", "up 4 at 500 over 0 s"}));
}

TEST_F(Override, IsRemovedWithItsLinkAndIgnoredForAnUnknownOne) {
    begin(std::nullopt);
    EXPECT_EQ(say(500, {}, 1, LinkId{99}), Lines{});
    (void)say(500, {}, 2);
    core->handle(bus::LinkStatus{.link = kLink, .neighbour = NodeNumber{2}, .removed = true},
                 at(3));
    (void)received();
    (void)connected(true, 4);
    EXPECT_FALSE(entry(5).overridden);
}

}  // namespace
}  // namespace farlink::scheduler::scheduler_override_test
