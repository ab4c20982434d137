// SPDX-License-Identifier: Apache-2.0
// Each alarm happens and ends, on a time line of whole seconds.
#include "module/telemetry/core/alarms/alarm_watch.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::alarm_watch_test {
namespace {

constexpr DtnTime kStart = 800'000'000'000;
constexpr DtnTime kHour = 3'600'000;
constexpr NodeNumber kNeighbour{20};
constexpr NodeNumber kFar{30};

class Node {
public:
    explicit Node(config::AlarmsConfig config = {}) : watch(std::move(config)) {
        facts.node = NodeNumber{10};
        facts.links = {
            {.link = LinkId{1}, .neighbour = kNeighbour, .open = true, .connected = true}};
        facts.modules = {{"egress", "ready"}, {"storage", "ready"}};
    }

    /// Lets seconds pass; keeps what they change.
    void pass(int number) {
        for (int i = 0; i < number; ++i) {
            now += seconds(1);
            wall += 1000;
            for (AlarmChange &change : watch.look(facts, wall, now))
                changes.push_back(std::move(change));
        }
    }
    /// The names of the active alarms, separated by blanks.
    [[nodiscard]] std::string active() const {
        std::string names;
        for (const Alarm *alarm : watch.book().active())
            names += (names.empty() ? "" : " ") + std::string(to_string(alarm->name()));
        return names;
    }
    [[nodiscard]] std::string text() const {
        const auto all = watch.book().active();
        return all.empty() ? std::string() : all.front()->condition.text;
    }
    [[nodiscard]] std::string action() const {
        const auto all = watch.book().active();
        return all.empty() ? std::string() : all.front()->condition.action;
    }
    void wait_with(NodeNumber destination, std::uint64_t bundles, std::uint64_t bytes,
                   NodeNumber next_hop) {
        facts.waiting = {{destination, bundles, bytes, next_hop}};
        facts.stored_bundles = bundles;
    }

    AlarmWatch watch;
    AlarmFacts facts;
    DtnTime wall = kStart;
    TimePoint now{};
    std::vector<AlarmChange> changes;
};

/// What has ended last.
std::string ended(const Node &node) {
    const auto &all = node.watch.book().ended();
    return all.empty() ? std::string() : std::string(to_string(all.front().name()));
}

TEST(Alarms, ANodeInOrderHasNone) {
    Node node;
    node.facts.plan = {true, {{kNeighbour, kStart + 1000 * kHour, 1'000'000}}};
    node.wait_with(kFar, 10, 1000, kNeighbour);
    node.facts.disks = {{"/disk", 1000, 1'000'000}};
    node.facts.certificates = {{"the API", "/cert", "CN=a", kStart + 1000 * kHour, kNoLink}};
    node.pass(900);
    EXPECT_EQ(node.active(), "");
    EXPECT_TRUE(node.changes.empty());
}

TEST(Alarms, PlanEndsSoon) {
    Node node;
    node.facts.plan = {true, {{kNeighbour, kStart + 12 * kHour, 1'000'000}}};
    node.pass(6);
    EXPECT_EQ(node.active(), "plan-ends-soon");
    EXPECT_NE(node.text().find("the last contact of this node ends at 2025-05-08T18:13:20.000Z"),
              std::string::npos)
        << node.text();
    EXPECT_NE(node.action().find("farlinkctl plan replace"), std::string::npos);
    node.facts.plan.neighbours[0].ends = kStart + 100 * kHour;
    node.pass(6);
    EXPECT_EQ(ended(node), "plan-ends-soon");
    EXPECT_TRUE(node.watch.book().ended()[0].condition.text.ends_with("18:13:20.000Z"));
}

TEST(Alarms, PlanEnded) {
    Node node;
    node.facts.plan = {true, {{kNeighbour, kStart, 0}}};
    node.wait_with(kFar, 4120, 1'000'000, NodeNumber{});
    node.pass(60);
    // Its consequence is no alarm of its own.
    EXPECT_EQ(node.active(), "plan-ended");
    EXPECT_NE(node.text().find("4,120 bundles wait"), std::string::npos) << node.text();
    EXPECT_EQ(node.watch.book().active()[0]->severity, Severity::kCritical);
    node.facts.plan.neighbours[0].ends = kStart + 100 * kHour;
    node.facts.waiting.clear();
    node.pass(6);
    EXPECT_EQ(ended(node), "plan-ended");
}

// An operator who looks in between must not find a node in order.
TEST(Alarms, NoSecondIsWithoutAnAlarmWhenAnEndThatWasNearHasCome) {
    Node node;
    node.facts.plan = {true, {{kNeighbour, kStart + 60'000, 1'000'000}}};
    node.facts.certificates = {{"link 1", "/cert.pem", "CN=node 10", kStart + 60'000, LinkId{1}}};
    node.pass(10);
    for (int second = 10; second < 100; ++second) {
        node.pass(1);
        EXPECT_EQ(node.watch.book().active().size(), 2U) << second << ": " << node.active();
    }
    EXPECT_EQ(node.active(), "certificate-ended plan-ended");
}

TEST(Alarms, APlanWithoutContactsOfThisNodeHasEnded) {
    Node node;
    node.facts.plan = {true, {}};
    node.pass(6);
    EXPECT_EQ(node.active(), "plan-ended");
    EXPECT_NE(node.text().find("no contact from this node"), std::string::npos);
    node.facts.links.clear();  // it only receives
    node.pass(6);
    EXPECT_EQ(node.active(), "");
}

TEST(Alarms, BacklogWithoutARoute) {
    Node node;
    node.wait_with(kFar, 1, 500, NodeNumber{});
    node.pass(31);
    EXPECT_EQ(node.active(), "backlog-without-contact");
    EXPECT_EQ(node.text(), "no route leads to node 30; 1 bundle (500 B) waits");
    EXPECT_NE(node.action().find("farlinkctl routes explain 10 30"), std::string::npos);
    node.facts.waiting[0].next_hop = kNeighbour;
    node.pass(11);
    EXPECT_EQ(ended(node), "backlog-without-contact");
}

TEST(Alarms, BacklogAboveTheVolumeOfTheContacts) {
    Node node;
    node.facts.plan = {true, {{kNeighbour, kStart + 100 * kHour, 9'999}}};
    node.wait_with(kFar, 20, 10'000, kNeighbour);
    node.pass(31);
    EXPECT_EQ(node.active(), "backlog-without-contact");
    EXPECT_EQ(node.watch.book().active()[0]->condition.subject.neighbour, kNeighbour);
    EXPECT_NE(node.text().find("20 bundles (10.0 kB) wait for node 20"), std::string::npos);
    node.facts.plan.neighbours[0].remaining_bytes = 10'000;
    node.pass(11);
    EXPECT_EQ(ended(node), "backlog-without-contact");
}

TEST(Alarms, BacklogForANextHopWithoutContacts) {
    Node node;
    node.facts.plan = {true, {{kNeighbour, kStart + 100 * kHour, kUnlimitedBytes}}};
    node.wait_with(kFar, 1, 1000, NodeNumber{40});  // by a static route
    node.pass(31);
    EXPECT_EQ(node.active(), "backlog-without-contact");
    EXPECT_EQ(node.text(),
              "1 bundle (1.0 kB) waits for node 40; its contacts in the plan carry 0 B from now "
              "on");
}

TEST(Alarms, PeersNotChecked) {
    Node node;
    node.facts.unchecked = {{LinkId{3}, "`neighbours` contains 0.0.0.0/0", "list each neighbour"}};
    node.pass(2);
    EXPECT_EQ(node.active(), "peers-not-checked");
    EXPECT_EQ(node.watch.book().active()[0]->condition.subject.link, LinkId{3});
    EXPECT_EQ(node.text(),
              "link 3 accepts any host as a neighbour: `neighbours` contains 0.0.0.0/0");
    node.facts.unchecked.clear();
    node.pass(2);
    EXPECT_EQ(ended(node), "peers-not-checked");
}

TEST(Alarms, DiskFullSoon) {
    Node node;
    node.facts.disks = {{"/disk/a", 0, 1'000'000'000}};
    for (int i = 0; i < 200; ++i) {
        node.facts.disks[0].used_bytes += 100'000;
        node.pass(1);
    }
    EXPECT_EQ(node.active(), "disk-full-soon");
    EXPECT_EQ(node.watch.book().active()[0]->condition.subject.disk, 0U);
    EXPECT_NE(node.text().find("100.0 kB/s"), std::string::npos) << node.text();
    EXPECT_NE(node.text().find("in 2.7 h"), std::string::npos) << node.text();
    node.pass(300);  // it is still in the period
    EXPECT_EQ(node.active(), "disk-full-soon");
    node.pass(600);
    EXPECT_EQ(ended(node), "disk-full-soon");
}

TEST(Alarms, StorageFull) {
    Node node;
    node.facts.storage_full = true;
    node.facts.without_room = 3;
    node.pass(5);
    EXPECT_EQ(node.active(), "storage-full");
    EXPECT_NE(node.text().find("3 bundles in memory"), std::string::npos) << node.text();
    node.facts.storage_full = false;
    node.pass(11);
    EXPECT_EQ(ended(node), "storage-full");
}

TEST(Alarms, CertificateEndsSoonAndHasEnded) {
    Node node;
    node.facts.certificates = {
        {"link 1", "/keys/cert.pem", "CN=node 10", kStart + 24 * kHour, LinkId{1}}};
    node.pass(2);
    EXPECT_EQ(node.active(), "certificate-ends-soon");
    EXPECT_NE(node.text().find("CN=node 10 of link 1 in /keys/cert.pem"), std::string::npos);
    node.facts.certificates[0].ends = kStart;
    node.pass(3);
    EXPECT_EQ(node.active(), "certificate-ended");
    EXPECT_EQ(ended(node), "certificate-ends-soon");
    node.facts.certificates[0].ends = kStart + 10'000 * kHour;
    node.pass(3);
    EXPECT_EQ(ended(node), "certificate-ended");
}

TEST(Alarms, ClockSuspended) {
    Node node;
    node.facts.modules_suspended = 3;
    node.pass(2);
    EXPECT_EQ(node.active(), "clock-suspended");
    EXPECT_NE(node.action().find("farlinkctl clock confirm"), std::string::npos);
    node.facts.modules_suspended = 0;
    node.pass(3);
    EXPECT_EQ(ended(node), "clock-suspended");
}

TEST(Alarms, AClockThatWasSetBackIsToBeConfirmed) {
    Node node;
    node.facts.clock_behind_s = 600;
    node.pass(2);
    EXPECT_EQ(node.active(), "clock-suspended");
    EXPECT_NE(node.text().find("set back by"), std::string::npos) << node.text();
    node.facts.clock_behind_s = 0;
    node.pass(3);
    EXPECT_EQ(ended(node), "clock-suspended");
}

TEST(Alarms, AFileSystemThatOthersHaveFilledIsNamed) {
    Node node;
    node.facts.storage_full = true;
    node.facts.disks = {{"/disk1", 40'000'000, 17'000'000'000, true}};
    node.pass(2);
    EXPECT_EQ(node.active(), "storage-full");
    EXPECT_NE(node.text().find("the file system of /disk1 is full"), std::string::npos)
        << node.text();
    EXPECT_NE(node.action().find("free space in that file system"), std::string::npos);
}

TEST(Alarms, ClockNotSynchronised) {
    Node node;
    node.facts.clock_synchronised = false;
    node.pass(119);
    EXPECT_EQ(node.active(), "");
    node.pass(2);
    EXPECT_EQ(node.active(), "clock-not-synchronised");
    node.facts.clock_synchronised = true;
    node.pass(61);
    EXPECT_EQ(ended(node), "clock-not-synchronised");
}

TEST(Alarms, ModuleSilentOrLost) {
    Node node;
    for (const char *state : {"silent", "lost"}) {
        node.facts.modules[0].state = state;
        node.pass(3);
        EXPECT_EQ(node.active(), "module-silent");
        EXPECT_EQ(node.watch.book().active()[0]->condition.subject.module, "egress");
        node.facts.modules[0].state = "ready";
        node.pass(6);
        EXPECT_EQ(node.active(), "");
    }
    EXPECT_EQ(node.watch.book().raised_count(AlarmName::kModuleSilent), 2U);
}

TEST(Alarms, NeighbourRefuses) {
    Node node;
    node.pass(1);
    node.facts.refused_now = 5;
    for (int i = 0; i < 40; ++i) {  // refused again with pauses
        if (i % 10 == 0) ++node.facts.links[0].refused;
        node.pass(1);
    }
    EXPECT_EQ(node.active(), "neighbour-refuses");
    EXPECT_NE(node.text().find("the neighbour of link 1 to node 20 has refused 4 bundles"),
              std::string::npos)
        << node.text();
    ++node.facts.links[0].sent;
    node.pass(11);
    EXPECT_EQ(ended(node), "neighbour-refuses");
}

TEST(Alarms, NoAcknowledgements) {
    Node node;
    node.pass(1);
    node.facts.refused_now = 5;
    for (int i = 0; i < 40; ++i) {  // repeated with pauses
        if (i % 10 == 0) node.facts.links[0].unacknowledged += 2;
        node.pass(1);
    }
    EXPECT_EQ(node.active(), "no-acknowledgements");
    EXPECT_NE(node.text().find("link 1 to node 20 has sent bundles 8 times and received no"),
              std::string::npos)
        << node.text();
    EXPECT_NE(node.action().find("light time: farlinkctl link set 1 --owlt SECONDS"),
              std::string::npos)
        << node.action();
    ++node.facts.links[0].sent;
    node.pass(11);
    EXPECT_EQ(ended(node), "no-acknowledgements");
}

TEST(Alarms, ANeighbourThatTakesBundlesBetweenRefusalsDoesNotRefuse) {
    Node node;
    node.facts.refused_now = 5;
    for (int i = 0; i < 200; ++i) {
        ++node.facts.links[0].refused;
        if (i % 20 == 0) ++node.facts.links[0].sent;
        node.pass(1);
    }
    EXPECT_EQ(node.active(), "");
}

// The session has ended by the refusals: the peer and its address are in order.
TEST(Alarms, ALinkThatIsDownByRefusalsNamesTheNeighboursOperator) {
    Node node;
    node.pass(1);
    node.facts.refused_now = 5;
    node.facts.links[0].connected = false;
    node.facts.links[0].reason = "the neighbour refuses one bundle after the other";
    const auto asks = [&] {
        return node.action().find("ask the operator of the neighbour") != std::string::npos;
    };
    node.pass(32);
    EXPECT_EQ(node.active(), "link-misses-contact");
    EXPECT_FALSE(asks()) << node.action();
    ++node.facts.links[0].unacknowledged;
    node.pass(2);
    EXPECT_NE(node.action().find("a larger one-way light"), std::string::npos) << node.action();
    ++node.facts.links[0].refused;
    node.pass(2);
    EXPECT_EQ(node.active(), "link-misses-contact");
    EXPECT_TRUE(asks()) << node.action();
}

TEST(Alarms, RefusalsAreOverWhenNothingWaits) {
    Node node;
    node.pass(1);
    node.facts.refused_now = 1;
    node.facts.links[0].refused = 1;
    node.pass(40);
    EXPECT_EQ(node.active(), "neighbour-refuses");
    node.facts.refused_now = 0;  // expired, or deleted by the operator; a back-off is shorter
    node.pass(131);
    EXPECT_EQ(node.active(), "");
}

TEST(Alarms, BundleTooLarge) {
    Node node;
    node.facts.too_large_now = 3;
    node.facts.links[0].too_large = 7;
    node.pass(11);
    EXPECT_EQ(node.active(), "bundle-too-large");
    EXPECT_NE(node.text().find(
                  "3 bundles wait because they are larger than the link of the route accepts "
                  "and may not be fragmented: link 1"),
              std::string::npos)
        << node.text();
    node.facts.too_large_now = 0;
    node.pass(6);
    EXPECT_EQ(ended(node), "bundle-too-large");
}

TEST(Alarms, BundleExceedsContacts) {
    Node node;
    node.facts.exceeding_now = 1;
    node.pass(11);
    EXPECT_EQ(node.active(), "bundle-exceeds-contacts");
    EXPECT_EQ(node.text(), "1 bundle waits because it is larger than every contact on its routes");
    node.facts.exceeding_now = 0;
    node.pass(6);
    EXPECT_EQ(ended(node), "bundle-exceeds-contacts");
}

TEST(Alarms, LinkMissesContact) {
    Node node;
    node.facts.links[0].connected = false;
    node.facts.links[0].reason = "connection refused";
    node.facts.links[0].ends = "2026-01-01T00:00:00.000Z";
    node.pass(30);
    EXPECT_EQ(node.active(), "");
    node.pass(2);
    EXPECT_EQ(node.active(), "link-misses-contact");
    EXPECT_EQ(node.watch.book().active()[0]->condition.subject.link, LinkId{1});
    EXPECT_NE(node.text().find("open until 2026-01-01T00:00:00.000Z: connection refused"),
              std::string::npos)
        << node.text();
    node.facts.links[0].connected = true;
    node.pass(30);
    EXPECT_EQ(node.active(), "link-misses-contact") << "it may be lost again at once";
    EXPECT_NE(
        node.text().find("has been connected again since 2025-05-08T06:13:53.000Z, after 1 outage"),
        std::string::npos)
        << node.text();
    node.pass(6);
    EXPECT_EQ(ended(node), "link-misses-contact");
    node.facts.links[0].open = false;
    node.facts.links[0].connected = false;
    node.pass(100);
    EXPECT_EQ(node.active(), "");
}

TEST(Alarms, ALinkThatFlapsHasOneAlarmWithTheFirstTime) {
    Node node;
    const auto flap = [&node](int times, int down, int up) {
        for (int i = 0; i < times; ++i) {
            node.facts.links[0].connected = false;
            node.pass(down);
            node.facts.links[0].connected = true;
            node.pass(up);
        }
    };
    flap(20, 5, 5);
    EXPECT_TRUE(node.changes.empty()) << "no outage lasts";
    const std::string first = "since 2025-05-08T06:16:41.000Z";
    flap(1, 40, 20);
    flap(10, 10, 20);
    ASSERT_EQ(node.changes.size(), 1U);
    node.facts.links[0].connected = false;
    node.pass(1);
    EXPECT_NE(node.text().find("; 12 outages " + first), std::string::npos) << node.text();
    EXPECT_EQ(node.watch.book().active()[0]->since, node.changes[0].alarm.since);
    node.facts.links[0].open = false;  // its contact has ended
    node.pass(6);
    EXPECT_EQ(ended(node), "link-misses-contact");
}

TEST(Alarms, ANeighbourThatOpensTheSessionItselfIsNotMissed) {
    Node node;
    node.facts.links = {
        {.link = LinkId{1}, .neighbour = kNeighbour, .open = true, .connected = false},
        {.link = LinkId{9}, .neighbour = kNeighbour, .open = true, .connected = true}};
    node.pass(100);
    EXPECT_EQ(node.active(), "");
}

TEST(Alarms, HistoryStopped) {
    Node node;
    node.facts.history_fault = "/history: no space left on device";
    node.pass(2);
    EXPECT_EQ(node.active(), "history-stopped");
    EXPECT_NE(node.text().find("no space left"), std::string::npos);
    node.facts.history_fault.clear();
    node.pass(11);
    EXPECT_EQ(ended(node), "history-stopped");
}

TEST(Alarms, ZeroTurnsAnAlarmOff) {
    config::AlarmsConfig config;
    config.plan_hours = 0;
    config.disk_hours = 0;
    config.certificate_days = 0;
    config.missed_seconds = 0;
    config.refused_seconds = 0;
    Node node(config);
    node.facts.plan = {true, {{kNeighbour, kStart + kHour, 1'000'000}}};
    node.facts.links[0].connected = false;
    node.facts.certificates = {{"link 1", "/c", "CN=a", kStart + kHour, LinkId{1}}};
    node.facts.disks = {{"/disk", 0, 1'000'000}};
    for (int i = 0; i < 200; ++i) {
        node.facts.disks[0].used_bytes += 1000;
        node.pass(1);
    }
    EXPECT_EQ(node.active(), "");
}

TEST(Alarms, AReloadedConfigurationCounts) {
    Node node;
    node.facts.clock_synchronised = false;
    node.pass(130);
    EXPECT_EQ(node.active(), "clock-not-synchronised");
    config::AlarmsConfig config;
    config.ignored = {"clock-not-synchronised"};
    node.watch.set_config(config);
    node.pass(61);
    EXPECT_EQ(node.active(), "");
}

}  // namespace
}  // namespace farlink::telemetry::alarm_watch_test
