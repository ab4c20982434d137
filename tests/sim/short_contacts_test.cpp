// SPDX-License-Identifier: Apache-2.0
// Contacts that are too short for any bundle as a whole (`fragmentToContact`): bundles cross them
// part by part, each octet once, and the ledgers balance.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::short_contacts_test {
namespace {

constexpr NodeNumber kSinkNode{200};
constexpr Flow kPlain{100, kSinkNode.value(), 1};
constexpr Flow kUrgent{100, kSinkNode.value(), 2, Priority::kExpedited};
/// 1,000 bytes a second.
constexpr BitRate kRate{8000};
constexpr std::uint64_t kBundleBytes = 30'000;

bus::Contact contact(std::uint64_t from, std::uint64_t to, DtnTime start_s, DtnTime end_s,
                     BitRate rate = kRate) {
    return {from * 1'000'000 + start_s,
            NodeNumber{from},
            NodeNumber{to},
            SimClock::kStartDtn + start_s * 1000,
            SimClock::kStartDtn + end_s * 1000,
            rate,
            {}};
}

/// Contacts of `length_s` seconds, a minute apart.
void add_contacts(std::vector<bus::Contact> &plan, std::uint64_t from, std::uint64_t to,
                  DtnTime first_s, DtnTime length_s, DtnTime count) {
    for (DtnTime at = 0; at < count; ++at)
        plan.push_back(contact(from, to, first_s + 60 * at, first_s + 60 * at + length_s));
}

NodeOptions cutting(std::uint64_t number, const std::vector<bus::Contact> &plan) {
    NodeOptions options;
    options.number = NodeNumber{number};
    options.plan = plan;
    options.fragment_to_contact = true;
    return options;
}

/// A source, a node, and a sink that the node meets for ten seconds in each minute.
struct OneHop {
    explicit OneHop(std::uint64_t seed, DtnTime contacts = 30, LinkOptions link = {},
                    bool cuts = true)
        : world(seed) {
        std::vector<bus::Contact> plan;
        add_contacts(plan, 1, kSinkNode.value(), 100, 10, contacts);
        NodeOptions options = cutting(1, plan);
        options.fragment_to_contact = cuts;
        node = &world.add_node(options);
        sink = &world.add_sink();
        source = &world.add_source(*node);
        link.rate = kRate;
        to_sink = &world.connect(*node, *sink, kSinkNode, link);
        world.start();
        world.clock.run_for(seconds(1));
    }
    void expect_balance() const {
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
        EXPECT_EQ(sink->malformed(), 0U);
    }
    [[nodiscard]] std::uint64_t value(telemetry::EgressCounter counter) const {
        return node->value(counter);
    }

    SimWorld world;
    SimNode *node = nullptr;
    SimSink *sink = nullptr;
    SimSource *source = nullptr;
    SimLink *to_sink = nullptr;
};

TEST(ShortContacts, ABundleCrossesPartByPart) {
    OneHop story(1);
    story.source->send(kPlain, 1, kBundleBytes);
    story.world.clock.run_for(seconds(250));
    EXPECT_EQ(story.node->value(telemetry::IngressCounter::kFitsNoContact), 0U);
    EXPECT_EQ(story.sink->fragments(), 3U) << "one in each contact";
    EXPECT_EQ(story.sink->arrived(), 0U);
    EXPECT_EQ(story.node->held(), 1U) << "the rest waits, as the bundle that it is of";
    story.expect_balance();
    story.world.clock.run_for(seconds(60));
    EXPECT_EQ(story.sink->arrived(), 1U);
    EXPECT_EQ(story.sink->fragments(), 4U) << "the rest fits, and is not cut";
    EXPECT_EQ(story.node->held(), 0U);
    EXPECT_EQ(story.value(telemetry::EgressCounter::kCut), 1U);
    EXPECT_EQ(story.value(telemetry::EgressCounter::kPartReturns), 3U);
    EXPECT_EQ(story.value(telemetry::EgressCounter::kForwarded), 1U);
    story.expect_balance();
}

TEST(ShortContacts, WithoutTheKeyItWaits) {
    OneHop story(2, 30, {}, false);
    story.source->send(kPlain, 1, kBundleBytes);
    story.world.clock.run_for(seconds(600));
    EXPECT_EQ(story.sink->fragments(), 0U);
    EXPECT_EQ(story.node->held(), 1U);
    EXPECT_EQ(story.node->value(telemetry::IngressCounter::kFitsNoContact), 1U);
    EXPECT_EQ(story.node->value(telemetry::StorageCounter::kExceedsContacts), 1U);
    story.expect_balance();
}

TEST(ShortContacts, ManyBundlesFillEveryContact) {
    OneHop story(3);
    story.source->send(kPlain, 6, kBundleBytes);
    story.source->send(kUrgent, 2, kBundleBytes);
    story.source->send({100, kSinkNode.value(), 3}, 10, 2'000);
    // 260,000 bytes, and at most 10,000 in a contact.
    story.world.clock.run_for(seconds(100 + 30 * 60));
    EXPECT_EQ(story.sink->arrived(), 18U);
    EXPECT_EQ(story.sink->out_of_order() + story.sink->duplicates(), 0U);
    EXPECT_EQ(story.node->held(), 0U);
    EXPECT_EQ(story.value(telemetry::EgressCounter::kForwarded), 18U);
    story.expect_balance();
}

// The first part fills what is left of a contact that is open already.
TEST(ShortContacts, ABundleThatArrivesInAContactIsCutToo) {
    OneHop story(4);
    story.world.clock.run_for(seconds(104));  // five seconds are left
    story.source->send(kPlain, 1, kBundleBytes);
    story.world.clock.run_for(seconds(20));
    EXPECT_EQ(story.sink->fragments(), 1U);
    EXPECT_EQ(story.node->held(), 1U);
    story.world.clock.run_for(seconds(200));
    EXPECT_EQ(story.sink->arrived(), 1U);
    EXPECT_EQ(story.sink->duplicates(), 0U);
    story.expect_balance();
}

// The neighbour takes 4,000 bytes: each part is cut again, for the link.
TEST(ShortContacts, PartsAreCutForTheLimitOfTheNeighbour) {
    OneHop story(5, 30, {.max_bundle_bytes = 4'000});
    story.source->send(kPlain, 3, kBundleBytes);
    story.world.clock.run_for(seconds(900));
    EXPECT_EQ(story.sink->arrived(), 3U);
    EXPECT_EQ(story.sink->duplicates() + story.sink->out_of_order(), 0U);
    EXPECT_EQ(story.value(telemetry::EgressCounter::kCut), 3U);
    story.expect_balance();
}

TEST(ShortContacts, LinksThatBreakAndNodesThatDieLoseNothing) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        LinkOptions link;
        if (seed % 2 == 0) link.max_bundle_bytes = 3'000;
        OneHop story(seed, 60, link);
        story.source->send(kPlain, 3, kBundleBytes);
        story.source->send(kUrgent, 2, kBundleBytes);
        Random random(seed);
        story.world.clock.run_for(seconds(99));
        for (int contact_number = 0; contact_number < 12; ++contact_number) {
            story.world.clock.run_for(milliseconds(random.below(9'000)));
            story.to_sink->set_wire(false);
            story.world.clock.run_for(milliseconds(random.below(1'500)));
            story.to_sink->set_wire(true);
            if (random.below(4) == 0) {
                story.node->kill();
                story.world.clock.run_for(milliseconds(50));
                story.node->start();
            }
            story.world.clock.run_for(seconds(50));
        }
        story.world.clock.run_for(seconds(1800));
        EXPECT_EQ(story.sink->arrived(), 5U);
        EXPECT_EQ(story.node->held(), 0U);
        story.expect_balance();
    }
}

// Each node has contacts that the parts of the one before do not fit either.
TEST(ShortContacts, BundlesCrossTwoHopsOfShortContacts) {
    std::vector<bus::Contact> plan;
    add_contacts(plan, 1, 2, 100, 10, 60);
    add_contacts(plan, 2, kSinkNode.value(), 130, 6, 60);
    SimWorld world(6);
    SimNode &first = world.add_node(cutting(1, plan));
    SimNode &second = world.add_node(cutting(2, plan));
    SimSink &sink = world.add_sink();
    SimSource &source = world.add_source(first);
    world.connect(first, second, {.rate = kRate, .max_transfers = 8});
    world.connect(second, sink, kSinkNode, {.rate = kRate});
    world.start();
    world.clock.run_for(seconds(1));
    source.send(kPlain, 4, kBundleBytes);
    source.send(kUrgent, 1, kBundleBytes);
    world.clock.run_for(seconds(100 + 60 * 60));
    EXPECT_EQ(sink.arrived(), 5U);
    EXPECT_EQ(sink.malformed() + sink.duplicates(), 0U);
    for (const SimNode *node : {&first, &second}) {
        EXPECT_GT(node->value(telemetry::EgressCounter::kPartReturns), 0U);
        EXPECT_EQ(node->held(), 0U);
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
    }
    EXPECT_EQ(first.value(telemetry::EgressCounter::kForwarded), 5U);
}

// Another neighbour takes the bundle as a whole at once.
TEST(ShortContacts, ABundleIsNotCutWhereAnotherRouteIsFaster) {
    std::vector<bus::Contact> plan;
    add_contacts(plan, 1, kSinkNode.value(), 100, 10, 30);
    plan.push_back(contact(1, 2, 0, 10'000, BitRate{8'000'000}));
    plan.push_back(contact(2, kSinkNode.value(), 0, 10'000, BitRate{8'000'000}));
    SimWorld world(7);
    SimNode &first = world.add_node(cutting(1, plan));
    SimNode &second = world.add_node(cutting(2, plan));
    SimSink &sink = world.add_sink();
    SimSource &source = world.add_source(first);
    world.connect(first, sink, kSinkNode, {.rate = kRate});
    world.connect(first, second, {.rate = BitRate{8'000'000}});
    world.connect(second, sink, kSinkNode, {.rate = BitRate{8'000'000}});
    world.start();
    world.clock.run_for(seconds(103));
    source.send(kPlain, 3, kBundleBytes);
    world.clock.run_for(seconds(3));
    EXPECT_EQ(sink.arrived(), 3U);
    EXPECT_EQ(sink.fragments(), 0U);
    EXPECT_TRUE(first.ledger().balanced()) << first.ledger().to_table();
}

}  // namespace
}  // namespace farlink::sim::short_contacts_test
