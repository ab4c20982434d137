// SPDX-License-Identifier: Apache-2.0
// Nodes that forward bundles in a loop, because the next hop of each is another of them: no bundle
// is duplicated, with or without acknowledgements; a critical one that has gone every way is
// passed on more and more rarely.
#include <gtest/gtest.h>

#include "tests/sim/sim_world.hpp"

namespace farlink::sim::loop_test {
namespace {

constexpr std::uint64_t kSource = 100;
constexpr std::uint64_t kNowhere = 500;
constexpr std::uint64_t kBundles = 3;
constexpr Duration kWatched = seconds(20);

enum class Shape : std::uint8_t {
    kRing,      ///< each has one neighbour
    kMesh,      ///< each has all the others, and bundles may return to their sender
    kSelfLoop,  ///< one node, whose neighbour is itself by another number
};

/// What leads to the next node.
enum class Rule : std::uint8_t {
    kGateway,
    kStatic,
    kPolicy,  ///< in a mesh to both others, of which critical bundles take each
};

struct Story {
    Shape shape = Shape::kRing;
    Priority priority = Priority::kNormal;  ///< selects the version, too: sim_traffic.hpp
    Duration delay{};                       ///< one way
    std::uint32_t max_transfers = 64;       ///< 0: no acknowledgements
    bool records = false;                   ///< administrative records with one timestamp
    bool critical = false;                  ///< those of BPv7 by a policy
    Rule rule = Rule::kGateway;
};

std::ostream &operator<<(std::ostream &out, const Story &story) {
    static constexpr std::array kNames{"ring", "mesh", "self-loop"};
    return out << kNames[static_cast<std::size_t>(story.shape)]
               << (story.priority == Priority::kNormal ? " BPv7 " : " BPv6 ")
               << std::chrono::duration_cast<milliseconds>(story.delay).count() << " ms "
               << story.max_transfers << " transfers" << (story.records ? " records" : "")
               << (story.critical ? " critical, by rule " : ", by rule ")
               << static_cast<unsigned>(story.rule);
}

class Loop : public ::testing::TestWithParam<Story> {
protected:
    Loop() : world_(7) {
        between_.delay = GetParam().delay;
        between_.max_transfers = GetParam().max_transfers;
        const std::uint64_t count = GetParam().shape == Shape::kSelfLoop ? 1 : 3;
        for (std::uint64_t number = 1; number <= count; ++number) add_node(number, count);
        source_ = &world_.add_source(*nodes_[0]);
        connect_all();
        world_.start();
    }

    void add_node(std::uint64_t number, std::uint64_t count) {
        NodeOptions options;
        options.number = NodeNumber{number};
        options.routing.return_to_sender = GetParam().shape == Shape::kMesh;
        add_rules(options.routing, number, NodeNumber{gateway_of(number, count)});
        nodes_.push_back(&world_.add_node(options));
    }
    static void add_rules(config::RoutingConfig &routing, std::uint64_t number, NodeNumber next) {
        config::RoutingPolicy policy;
        policy.destination = "ipn:500.*";
        policy.critical = GetParam().critical;
        if (GetParam().rule == Rule::kGateway) routing.default_gateway = next;
        if (GetParam().rule == Rule::kStatic) routing.statics = {{NodeNumber{kNowhere}, next, {}}};
        if (GetParam().rule == Rule::kPolicy) {
            policy.paths.push_back({next});
            if (GetParam().shape == Shape::kMesh)
                policy.paths.push_back({NodeNumber{6 - number - next.value()}});
        }
        if (policy.critical || !policy.paths.empty()) routing.policies = {policy};
    }
    /// In the mesh the first two are each other's default gateway; that of the third is the first.
    static std::uint64_t gateway_of(std::uint64_t number, std::uint64_t count) {
        if (GetParam().shape == Shape::kSelfLoop) return kItself;
        if (GetParam().shape == Shape::kMesh) return number == 1 ? 2 : 1;
        return number % count + 1;
    }
    void connect_all() {
        if (GetParam().shape == Shape::kSelfLoop) {
            links_.push_back(
                &world_.connect(*nodes_[0], *nodes_[0], NodeNumber{kItself}, between_));
            return;
        }
        for (std::size_t from = 0; from < nodes_.size(); ++from)
            for (std::size_t to = 0; to < nodes_.size(); ++to)
                if (from != to &&
                    (GetParam().shape == Shape::kMesh || to == (from + 1) % nodes_.size()))
                    links_.push_back(&world_.connect(*nodes_[from], *nodes_[to], between_));
    }

    [[nodiscard]] static Flow flow() {
        const Story &story = GetParam();
        const bool marked = story.critical && story.priority != Priority::kNormal;
        return {kSource, kNowhere, 1, story.priority, marked, story.records};
    }
    /// The first node counts what comes back, and none has received a bundle often.
    void expect_noticed() const {
        using telemetry::IngressCounter;
        EXPECT_GE(nodes_[0]->value(IngressCounter::kReturnedInLoop), kBundles);
        for (const SimNode *node : nodes_)
            EXPECT_LE(node->value(IngressCounter::kReceived), 20 * kBundles);
    }
    [[nodiscard]] std::uint64_t carried() const {
        std::uint64_t sum = 0;
        for (const SimLink *link : links_) sum += link->carried_bundles();
        return sum;
    }
    [[nodiscard]] std::uint64_t held() const {
        std::uint64_t sum = 0;
        for (const SimNode *node : nodes_) sum += node->held();
        return sum;
    }

    static constexpr std::uint64_t kItself = 9;
    SimWorld world_;
    LinkOptions between_;
    std::vector<SimNode *> nodes_;
    std::vector<SimLink *> links_;
    SimSource *source_ = nullptr;
};

TEST_P(Loop, NoBundleIsDuplicated) {
    world_.clock.run_for(seconds(2));
    source_->send(flow(), kBundles, 1000);
    // At any time at most one link carries a given bundle. What a critical one takes more when it
    // goes every way, once, is far less.
    const auto most = static_cast<std::uint64_t>(kWatched / GetParam().delay) * kBundles;
    std::uint64_t before = 0;
    // What is a record is watched while it returns often.
    const int watches = GetParam().records ? 2 : 5;
    for (int watch = 0; watch < watches; ++watch) {
        before = carried();
        world_.clock.run_for(kWatched);
        ASSERT_LE(carried() - before, most + kBundles);
    }
    // Each node doubles the rest of a bundle at each return.
    const std::uint64_t returns =
        GetParam().records ? static_cast<std::uint64_t>(kWatched / seconds(1)) + 1 : 2;
    if (!GetParam().records) expect_noticed();
    EXPECT_LE(carried() - before, returns * kBundles * nodes_.size());
    // No bundle is lost: when no link accepts bundles, each is held once.
    for (SimLink *link : links_) link->set_wire(false);
    world_.clock.run_for(seconds(5));
    EXPECT_GE(held(), kBundles);
    for (const SimNode *node : nodes_)
        EXPECT_TRUE(node->ledger().balanced()) << node->ledger().to_table();
}

std::vector<Story> stories() {
    std::vector<Story> all;
    for (const Shape shape : {Shape::kRing, Shape::kMesh, Shape::kSelfLoop})
        for (const Priority priority : {Priority::kNormal, Priority::kExpedited})
            for (const Duration delay : {milliseconds(5), milliseconds(40), milliseconds(300)})
                for (const std::uint32_t transfers : {2U, 64U, 0U})
                    for (const bool records : {false, true})
                        all.push_back({shape, priority, delay, transfers, records});
    for (const Shape shape : {Shape::kRing, Shape::kMesh, Shape::kSelfLoop})
        for (const Priority priority : {Priority::kNormal, Priority::kExpedited})
            for (const Duration delay : {milliseconds(5), milliseconds(300)})
                for (const std::uint32_t transfers : {64U, 0U})
                    for (const Rule rule : {Rule::kGateway, Rule::kStatic, Rule::kPolicy}) {
                        all.push_back({shape, priority, delay, transfers, false, true, rule});
                        if (rule != Rule::kGateway)
                            all.push_back({shape, priority, delay, transfers, false, false, rule});
                    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, Loop, ::testing::ValuesIn(stories()));

}  // namespace
}  // namespace farlink::sim::loop_test
