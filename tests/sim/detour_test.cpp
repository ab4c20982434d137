// SPDX-License-Identifier: Apache-2.0
// Three nodes with links to each other and to a sink that stops: each knows of its own link only,
// and sends what is for the sink by the next node. The bundles rest more and more, they are neither
// lost nor multiplied, and arrive when the sink is back.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::detour_test {
namespace {

constexpr std::uint64_t kSource = 100;
constexpr std::uint64_t kSink = 200;
constexpr std::uint64_t kBundles = 20;
constexpr std::uint64_t kTriangle = 3;
/// In a minute: each node lets a bundle rest twice as long each time.
constexpr std::uint64_t kMostPasses = 30;

struct Story {
    Priority priority = Priority::kNormal;  ///< selects the version, too: sim_traffic.hpp
    Duration delay{};                       ///< one way
    std::uint32_t max_transfers = 64;       ///< 0: no acknowledgements
    std::uint8_t hop_limit = 30;            ///< that BPv7 bundles get; 0: none
    bool records = false;                   ///< administrative records with one timestamp
};

std::ostream &operator<<(std::ostream &out, const Story &story) {
    return out << (story.priority == Priority::kNormal ? "BPv7 " : "BPv6 ")
               << std::chrono::duration_cast<milliseconds>(story.delay).count() << " ms "
               << story.max_transfers << " transfers, hop limit "
               << static_cast<unsigned>(story.hop_limit) << (story.records ? " records" : "");
}

class Detour : public ::testing::TestWithParam<Story> {
protected:
    Detour() : world_(7) {
        NodeOptions options;
        options.plan = plan();
        options.routing.add_hop_limit = GetParam().hop_limit;
        for (std::uint64_t number = 1; number <= kTriangle; ++number) {
            options.number = NodeNumber{number};
            nodes_.push_back(&world_.add_node(options));
        }
        sink_ = &world_.add_sink();
        LinkOptions link;
        link.delay = GetParam().delay;
        link.max_transfers = GetParam().max_transfers;
        source_ = &world_.add_source(*nodes_[0], link);
        LinkOptions to_sink = link;
        to_sink.max_transfers = 0;  // the sink acknowledges nothing
        for (SimNode *from : nodes_) {
            for (SimNode *to : nodes_)
                if (from != to) between_.push_back(&world_.connect(*from, *to, link));
            last_.push_back(&world_.connect(*from, *sink_, NodeNumber{kSink}, to_sink));
        }
        world_.start();
        world_.clock.run_for(seconds(2));
    }

    /// All contacts are open all the time.
    static std::vector<bus::Contact> plan() {
        std::vector<bus::Contact> contacts;
        for (std::uint64_t from = 1; from <= kTriangle; ++from)
            for (const std::uint64_t to : {std::uint64_t{1}, std::uint64_t{2}, kTriangle, kSink})
                if (from != to)
                    contacts.push_back(
                        {contacts.size(), NodeNumber{from}, NodeNumber{to}, 0, kDtnNever, {}, {}});
        return contacts;
    }
    [[nodiscard]] static Flow flow() {
        return {kSource, kSink, 1, GetParam().priority, false, GetParam().records};
    }
    void set_sink(bool up) {
        for (SimLink *link : last_) link->set_wire(up);
    }
    [[nodiscard]] std::uint64_t carried() const {
        std::uint64_t sum = 0;
        for (const SimLink *link : between_) sum += link->carried_bundles();
        return sum;
    }
    [[nodiscard]] std::uint64_t held() const {
        std::uint64_t sum = 0;
        for (const SimNode *node : nodes_) sum += node->held();
        return sum;
    }
    [[nodiscard]] std::uint64_t counted(telemetry::IngressCounter counter) const {
        std::uint64_t sum = 0;
        for (const SimNode *node : nodes_) sum += node->value(counter);
        return sum;
    }

    SimWorld world_;
    std::vector<SimNode *> nodes_;
    std::vector<SimLink *> between_;
    std::vector<SimLink *> last_;
    SimSink *sink_ = nullptr;
    SimSource *source_ = nullptr;
};

TEST_P(Detour, BundlesRestUntilTheSinkIsBack) {
    set_sink(false);
    world_.clock.run_for(seconds(1));
    source_->send(flow(), kBundles, 1000);
    std::uint64_t most_held = 0;
    for (int second = 0; second < 60; ++second) {
        world_.clock.run_for(seconds(1));
        most_held = std::max(most_held, held());
        ASSERT_LE(carried(), kMostPasses * kBundles) << "after " << second << " s";
    }
    EXPECT_LE(most_held, 2 * kTriangle * kBundles) << "copies do not multiply";
    EXPECT_EQ(source_->waiting(), 0U) << "all are acknowledged";
    EXPECT_EQ(sink_->arrived(), 0U);
    EXPECT_GE(counted(telemetry::IngressCounter::kReturnedInLoop), kBundles);
    EXPECT_EQ(counted(telemetry::IngressCounter::kDeletedHopLimit), 0U);
    set_sink(true);
    world_.clock.run_for(seconds(5));
    EXPECT_EQ(sink_->arrived(), kBundles) << "no pause goes on";
    EXPECT_EQ(sink_->malformed(), 0U);
    EXPECT_EQ(held(), 0U);
    for (const SimNode *node : nodes_)
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
}

// One node alone has lost its link: the next one delivers, and no bundle comes back.
TEST_P(Detour, OneNodeAloneCausesNoLoop) {
    last_[0]->set_wire(false);
    world_.clock.run_for(seconds(1));
    source_->send(flow(), kBundles, 1000);
    world_.clock.run_for(seconds(30));
    EXPECT_EQ(sink_->arrived(), kBundles);
    EXPECT_EQ(counted(telemetry::IngressCounter::kReturnedInLoop), 0U);
    EXPECT_EQ(carried(), kBundles);
    EXPECT_EQ(held(), 0U);
}

std::vector<Story> stories() {
    std::vector<Story> all;
    for (const Duration delay : {milliseconds(5), milliseconds(300)})
        for (const std::uint32_t transfers : {2U, 64U, 0U})
            for (const bool records : {false, true}) {
                all.push_back({Priority::kNormal, delay, transfers, 30, records});
                all.push_back({Priority::kNormal, delay, transfers, 0, records});
                all.push_back({Priority::kExpedited, delay, transfers, 30, records});
            }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Stories, Detour, ::testing::ValuesIn(stories()));

}  // namespace
}  // namespace farlink::sim::detour_test
