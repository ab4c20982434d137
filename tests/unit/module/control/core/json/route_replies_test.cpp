// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/route_replies.hpp"

#include <gtest/gtest.h>

namespace farlink::control::route_replies_test {
namespace {

using nlohmann::ordered_json;

/// Node 40 by neighbour 2; node 3 is the gateway.
class RouteReplies : public testing::Test {
protected:
    RouteReplies() {
        bus::RouteCandidate by_two{NodeNumber{2}, LinkId{12}, 1000};
        by_two.leave_by = 100'000;
        update_.routes = {{NodeNumber{40}, {by_two}}};
        update_.neighbours = {{NodeNumber{2}, LinkId{12}, true}, {NodeNumber{3}, LinkId{13}, true}};
        for (const std::uint32_t node : {2U, 3U}) {
            bus::LinkEntry &entry = links_.emplace_back();
            entry.link = LinkId{10 + node};
            entry.neighbour = NodeNumber{node};
        }
    }
    ordered_json explain(ordered_json request) {
        routing::ForwardingTable table(config_);
        table.handle(update_);
        request["source"] = 1;
        request = ordered_json::parse(request.dump());  // as it comes: its numbers are unsigned
        const auto bundle = facts_of(request, table, 0);
        const auto critical = asks_critical(request, *bundle, table);
        const auto takes = [](const routing::NextHop &) { return takes_all; };
        const routing::Explanation explanation = *critical
                                                     ? routing::explain_all(table, *bundle, 0)
                                                     : routing::explain(table, *bundle, 0, takes);
        needs_reasons_ = needs_reasons(explanation, links_);
        return explanation_json(
            *bundle, explanation,
            {links_, waiting_, unproved_, planned_, {}, reasons_, cut_, plan_end_, silent_});
    }
    std::string outcome(const ordered_json &request) {
        return explain(request)["outcome"].get<std::string>();
    }
    bus::RouteCandidate &candidate() { return update_.routes[0].candidates[0]; }

    inline static bool takes_all = true;
    config::RoutingConfig config_;
    bus::RouteUpdate update_;
    std::vector<bus::LinkEntry> links_;
    std::uint64_t waiting_ = 0;
    std::vector<UnprovedPeer> unproved_;
    std::vector<NodeNumber> planned_;
    LinkReasons reasons_;
    CutLimits cut_;
    std::string plan_end_;
    LinkReasons silent_;
    bool needs_reasons_ = false;  ///< of the last explanation
};

TEST_F(RouteReplies, StoredBundlesPrecedeNewOnes) {
    EXPECT_EQ(outcome({{"destination", 40}}), "the bundle is sent to node 2 by link 12");
    waiting_ = 8000;
    EXPECT_EQ(outcome({{"destination", 40}}),
              "the bundle is sent to node 2 by link 12; but 8000 bytes of its priority wait in "
              "storage for "
              "node 40, so the bundle is stored first, after those for its endpoint");
    update_.neighbours[0].up = false;
    EXPECT_EQ(outcome({{"destination", 40}}), "the bundle waits in storage for node 2 by link 12");
}

TEST_F(RouteReplies, ADestinationMayBeAnEndpointOfEitherScheme) {
    config_.statics = {{{}, NodeNumber{3}, "dtn://mars/**"}};
    EXPECT_EQ(outcome({{"destination", "dtn://mars/inbox"}}),
              "the bundle is sent to node 3 by link 13");
    EXPECT_EQ(outcome({{"destination", "dtn://venus/inbox"}}),
              "the bundle waits in storage: no rule has a route");
    EXPECT_EQ(outcome({{"destination", "ipn:40.1"}}), "the bundle is sent to node 2 by link 12");
    routing::ForwardingTable table(config_);
    for (const char *wrong : {"mars", ""})
        EXPECT_FALSE(facts_of({{"source", 1U}, {"destination", wrong}}, table, 0)) << wrong;
    EXPECT_EQ(rules_json(config_, update_, links_)["staticRoutes"][0]["destination"],
              "dtn://mars/**");
}

TEST_F(RouteReplies, AnEndpointThatIsNoNumberIsNamed) {
    EXPECT_EQ(endpoint_name_of({{"destination", "dtn://mars/inbox"}}), "dtn://mars/inbox");
    EXPECT_EQ(endpoint_name_of({{"destination", "ipn:40.1"}}), "");
    EXPECT_EQ(endpoint_name_of({{"destination", 40}}), "");
    routing::BundleFacts bundle;
    bundle.source = NodeNumber{1};
    const ordered_json named =
        explanation_json(bundle, {}, {.links = links_, .endpoint = "dtn://mars/inbox"});
    EXPECT_EQ(named["destinationEndpoint"], "dtn://mars/inbox");
    EXPECT_EQ(named["destination"], 0);
    EXPECT_FALSE(explain({{"destination", 40}}).contains("destinationEndpoint"));
}

TEST_F(RouteReplies, ReservedEndpointsStayHereOrAreDeleted) {
    routing::ForwardingTable table(config_);
    const auto ending = [&](std::uint64_t source, const ordered_json &destination,
                            std::uint64_t sender = 0) {
        const auto bundle = facts_of(ordered_json::parse(ordered_json{
                                         {"source", source},
                                         {"destination", destination},
                                         {"sender", sender}}.dump()),
                                     table, 0);
        EXPECT_TRUE(bundle.has_value()) << destination;
        return bundle ? reserved_outcome(*bundle, NodeNumber{10}) : std::string();
    };
    const std::string nowhere =
        "the bundle is deleted: its destination is the null endpoint (dtn:none or ipn:0.S)";
    for (const char *null : {"dtn:none", "ipn:0.0", "ipn:0.7"})
        EXPECT_EQ(ending(10, null), nowhere) << null;
    EXPECT_EQ(ending(10, 0), nowhere);
    const std::string here =
        "the bundle is delivered at this node: ipn:!.S is service S of the node itself";
    const std::string strange =
        "the bundle is deleted: its source or destination is the local node (ipn:!), and it comes "
        "from another node";
    for (const ordered_json &local : {ordered_json("ipn:!.5"), ordered_json(4294967295U)}) {
        EXPECT_EQ(ending(10, local), here);
        EXPECT_EQ(ending(bp::kLocalNodeNumber, local), here);
        EXPECT_EQ(ending(7, local), strange);
        EXPECT_EQ(ending(10, local, 2), strange) << "it returns from a neighbour";
    }
    EXPECT_EQ(ending(bp::kLocalNodeNumber, 40),
              "the bundle is deleted: its source is the local node (ipn:!), so it must not leave "
              "this node");
    EXPECT_EQ(ending(bp::kLocalNodeNumber, 10), "");
    EXPECT_EQ(ending(10, "dtn://mars/inbox"), "");
    EXPECT_EQ(ending(7, 40), "");
}

TEST_F(RouteReplies, TheSentenceAgreesWithTheWays) {
    candidate().room_bytes[1] = 500;
    EXPECT_EQ(outcome({{"destination", 40}, {"sizeBytes", ~std::uint64_t{0}}}),
              "the bundle waits in storage: no route can carry the bundle; the first route is to "
              "node 2 by link 12");
    candidate().room_bytes[1] = 0;
    candidate().delay_ms[1] = kDtnNever;
    const ordered_json full = explain({{"destination", 40}});
    EXPECT_EQ(full["outcome"], "the bundle waits in storage: no contact has residual volume");
    EXPECT_FALSE(full["ways"][0].contains("arrival")) << full;
    takes_all = false;
    EXPECT_EQ(outcome({{"destination", 40}}),
              "the bundle waits in storage: the bundle may not use any of these routes");
    takes_all = true;
}

TEST_F(RouteReplies, ABundleAboveTheLimitOfItsLinkIsCutIfItMayBe) {
    const std::string cut =
        "; the bundle is cut into fragments of at most 64000 bytes, if the bundle may be "
        "fragmented";
    links_[0].planned = links_[0].connected = true;
    links_[0].max_bundle_bytes = 64'000;
    const ordered_json large = explain({{"destination", 40}, {"sizeBytes", 64'001}});
    EXPECT_EQ(large["outcome"], "the bundle is sent to node 2 by link 12" + cut);
    EXPECT_EQ(large["ways"][0]["why"], "taken" + cut);
    const ordered_json small = explain({{"destination", 40}, {"sizeBytes", 64'000}});
    EXPECT_EQ(small["outcome"], "the bundle is sent to node 2 by link 12");
    links_[0].fragments = false;
    EXPECT_EQ(outcome({{"destination", 40}, {"sizeBytes", 64'001}}),
              "the bundle is sent to node 2 by link 12");
}

TEST_F(RouteReplies, APartOfABundleLeavesByALinkThatCutsToTheContact) {
    const ordered_json request{{"destination", 40}, {"sizeBytes", 64'001}};
    const std::string waits =
        "the bundle waits in storage: no route can carry the bundle; the first route is to node 2 "
        "by link 12";
    candidate().room_bytes[1] = 5000;
    EXPECT_EQ(outcome(request), waits);
    links_[0].cuts_to_contact = true;
    EXPECT_EQ(outcome(request),
              waits +
                  "; a part of at most 5000 bytes is sent in this contact to node 2 by link 12, "
                  "if the bundle may be fragmented");
    candidate().room_bytes[1] = 500;
    EXPECT_EQ(outcome(request), waits) << "that is too little";
    candidate().room_bytes[1] = 5000;
    update_.neighbours[0].up = false;
    EXPECT_EQ(outcome(request), waits);
}

TEST_F(RouteReplies, TheSmallestLimitOfNodeOutductAndLinkCuts) {
    const auto cut_to = [this](const char *size) {
        return outcome({{"destination", 40}, {"sizeBytes", 64'001}}) ==
               "the bundle is sent to node 2 by link 12; the bundle is cut into fragments of at "
               "most " +
                   std::string(size) + " bytes, if the bundle may be fragmented";
    };
    links_[0].planned = links_[0].connected = true;
    cut_.node_bytes = 50'000;
    EXPECT_TRUE(cut_to("50000")) << outcome({{"destination", 40}, {"sizeBytes", 64'001}});
    cut_.link_bytes = {{LinkId{12}, 40'000}, {LinkId{13}, 10}};
    EXPECT_TRUE(cut_to("40000"));
    links_[0].max_bundle_bytes = 30'000;
    EXPECT_TRUE(cut_to("30000"));
    links_[0].max_bundle_bytes = 64'000;
    cut_ = {.node_bytes = 0, .link_bytes = {{LinkId{12}, 0}}};
    EXPECT_TRUE(cut_to("64000")) << "0 is no limit";
    cut_.node_bytes = 10;
    links_[0].fragments = false;
    EXPECT_EQ(outcome({{"destination", 40}, {"sizeBytes", 64'001}}),
              "the bundle is sent to node 2 by link 12");
}

TEST_F(RouteReplies, ACriticalBundleGoesEveryWay) {
    EXPECT_EQ(
        outcome({{"destination", 40}, {"critical", true}}),
        "the bundle is critical and is sent from storage by every route: to node 2 by link 12");
    config_.policies.resize(1);
    config_.policies[0].critical = true;
    config_.policies[0].paths = {{NodeNumber{3}}};
    const ordered_json published = explain({{"destination", 40}});
    EXPECT_EQ(published["critical"], true);
    EXPECT_EQ(published["outcome"],
              "the bundle is critical and is sent from storage by every route: to node 3 by link "
              "13, node 2 by link "
              "12");
    EXPECT_EQ(rules_json(config_, update_, links_)["policies"][0]["critical"], true);
}

TEST_F(RouteReplies, LinksThatTheOperatorHasTakenDownAreNamed) {
    config_.default_gateway = NodeNumber{3};
    update_.neighbours.pop_back();
    EXPECT_EQ(rules_json(config_, update_, links_)["defaultGateway"]["link"], nullptr);
    links_[1].enabled = false;
    EXPECT_EQ(rules_json(config_, update_, links_)["defaultGateway"],
              (ordered_json{{"nextHop", 3}, {"link", 13}, {"up", false}, {"enabled", false}}));
    const ordered_json published = explain({{"destination", 60}});
    EXPECT_FALSE(needs_reasons_) << "its link is there";
    EXPECT_EQ(published["ways"][0]["why"], "the operator has taken its link down");
    EXPECT_EQ(
        published["outcome"],
        "the bundle waits in storage: no rule has a route; the operator has taken down link 13 to "
        "node 3");
}

TEST_F(RouteReplies, APlanThatHasEndedIsNamed) {
    plan_end_ = "the contact plan ended at T: 4 contacts of this node are past";
    EXPECT_EQ(outcome({{"destination", 60}}),
              "the bundle waits in storage: no rule has a route; " + plan_end_);
    EXPECT_EQ(outcome({{"destination", 40}}), "the bundle is sent to node 2 by link 12");
}

TEST_F(RouteReplies, ASilentModuleOfTheLinkIsNamed) {
    silent_ = {{LinkId{12}, "module egress has been silent for 9 s"}};
    EXPECT_EQ(outcome({{"destination", 40}}),
              "the bundle is sent to node 2 by link 12; but module egress has been silent for 9 s, "
              "so the bundle may wait: see `alarms`");
    silent_ = {{LinkId{13}, "module egress-2 has been silent for 9 s"}};
    EXPECT_EQ(outcome({{"destination", 40}}), "the bundle is sent to node 2 by link 12");
}

TEST_F(RouteReplies, TheReasonOfALinkThatIsDownIsGiven) {
    explain({{"destination", 40}});
    EXPECT_FALSE(needs_reasons_);
    reasons_ = link_reasons(
        R"({"links":[{"number":12,"planned":true,"connected":false,"reason":"refused"},)"
        R"({"number":13,"planned":false,"connected":false,"reason":"of the last contact"},)"
        R"({"number":14,"planned":true,"connected":false,"reason":""},)"
        R"({"number":15,"planned":true,"connected":true,"reason":"of an earlier session"}]})");
    EXPECT_EQ(reasons_, (LinkReasons{{LinkId{12}, "refused"}}));
    EXPECT_EQ(outcome({{"destination", 40}}), "the bundle is sent to node 2 by link 12");
    update_.neighbours[0].up = false;
    const ordered_json down = explain({{"destination", 40}});
    EXPECT_TRUE(needs_reasons_);
    EXPECT_EQ(down["outcome"],
              "the bundle waits in storage for node 2 by link 12, which is down: refused");
    EXPECT_EQ(down["ways"][0]["reason"], "refused");
    EXPECT_TRUE(link_reasons("no JSON").empty());
}

TEST_F(RouteReplies, AnUnprovedPeerIsNamedWithAdvice) {
    const std::string advice = "node 4 is connected from 127.0.0.1, but nothing proves its node id";
    unproved_ =
        unproved_peers(R"({"links":[{"number":1,"neighbour":2,"reason":""},)"
                       R"({"number":90,"proved":false,"claimedNode":4,"reason":")" +
                       advice + R"("},{"number":91,"proved":false,"reason":"dtn://seven/ ..."}]})");
    ASSERT_EQ(unproved_.size(), 1U);
    // The destination itself.
    EXPECT_EQ(outcome({{"destination", 4}}), "the bundle waits in storage: " + advice);
    EXPECT_EQ(outcome({{"destination", 4}, {"critical", true}}),
              "the bundle waits in storage: " + advice);
    // Somewhere behind it, by the plan.
    EXPECT_EQ(outcome({{"destination", 5}}), "the bundle waits in storage: no rule has a route");
    planned_ = {NodeNumber{4}};
    EXPECT_EQ(outcome({{"destination", 5}}), "the bundle waits in storage: " + advice);
    EXPECT_EQ(outcome({{"destination", 40}}), "the bundle is sent to node 2 by link 12");
    // The next hop of a static route.
    planned_.clear();
    config_.statics = {{NodeNumber{5}, NodeNumber{4}, {}}};
    const ordered_json published = explain({{"destination", 5}});
    EXPECT_EQ(published["outcome"], "the bundle waits in storage: " + advice);
    EXPECT_EQ(published["ways"][0]["why"],
              "a peer claims to be the next hop, but its node id is not proved");
    EXPECT_TRUE(needs_reasons_);
    (void)explain({{"destination", 40}});
    EXPECT_FALSE(needs_reasons_);
    EXPECT_TRUE(unproved_peers("no JSON").empty());
}

// Their certificates do not prove what they announce, and the induct requires TLS.
TEST_F(RouteReplies, RefusedPeersAreNamedWithAdvice) {
    unproved_ = unproved_peers(
        R"({"links":[{"number":3,"direction":"in","reason":"ipn:46.0 at 127.0.0.1: no proof",)"
        R"("refused":[{"nodeId":"ipn:46.0","reason":"ipn:46.0 at 127.0.0.1: no proof"},)"
        R"({"nodeId":"ipn:45.0","reason":"ipn:45.0 at 127.0.0.2: expired"}]},)"
        R"({"number":4,"direction":"in","refused":[{"nodeId":"dtn://seven/","reason":"w"},)"
        R"({"nodeId":"nonsense","reason":"w"}]}]})");
    ASSERT_EQ(unproved_.size(), 3U);
    EXPECT_EQ(unproved_[2].name, "dtn://seven/");
    EXPECT_EQ(outcome({{"destination", 46}}),
              "the bundle waits in storage: induct 3 refuses its neighbour: ipn:46.0 at 127.0.0.1: "
              "no proof");
    EXPECT_EQ(outcome({{"destination", 45}}),
              "the bundle waits in storage: induct 3 refuses its neighbour: ipn:45.0 at 127.0.0.2: "
              "expired");
    EXPECT_EQ(outcome({{"destination", 44}}), "the bundle waits in storage: no rule has a route");
}

}  // namespace
}  // namespace farlink::control::route_replies_test
