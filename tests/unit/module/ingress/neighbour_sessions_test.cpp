// SPDX-License-Identifier: Apache-2.0
// Who may be which node, and which session carries its link.
#include "tests/unit/module/ingress/core/neighbour_fixture.hpp"

namespace farlink::ingress::neighbour_sessions_test {
namespace {

// ---- who is it

TEST_F(NeighbourSessionsTest, AProvedNodeIsALinkOfItsOwn) {
    EXPECT_TRUE(claims(1, "ipn:7.0"));
    EXPECT_EQ(changes(), "+0/7");
    EXPECT_EQ(as_text(announced), "ipn:10.0");
    EXPECT_EQ(core().carried_by(UpstreamId{1})->link, kFirst);
    EXPECT_EQ(core().carried_by(UpstreamId{1})->node, NodeNumber{7});
    EXPECT_EQ(listener.halves.at(1).first, kFirst);
    EXPECT_TRUE(claims(2, "ipn:8.0"));
    EXPECT_EQ(changes(), "+1/8");
    EXPECT_FALSE(core().carried_by(UpstreamId{3}));
}

TEST_F(NeighbourSessionsTest, AClaimWithoutProofIsNotEnough) {
    EXPECT_FALSE(claims_unproved(1, "ipn:7.0", "198.51.100.1"));
    EXPECT_EQ(changes(), "");
    EXPECT_TRUE(listener.halves.empty());
    closes(1);
    EXPECT_EQ(changes(), "");
}

TEST_F(NeighbourSessionsTest, AClaimWithoutProofIsShownWithWhatToAdd) {
    induct.url.scheme = "tcpclv4";
    induct.id = LinkId{3};
    EXPECT_FALSE(claims_unproved(1, "ipn:7.0", "198.51.100.1"));
    const auto info = core().poll_info();
    ASSERT_TRUE(info);
    EXPECT_EQ(info->kind, bus::LinkKind::kSession);
    EXPECT_TRUE(info->connected);
    EXPECT_EQ(info->neighbour, NodeNumber{7}) << "that it claims to be";
    EXPECT_EQ(as_text(info->url), "tcpclv4://198.51.100.1");
    const std::string reason(as_text(info->reason));
    EXPECT_TRUE(reason.starts_with(
        "a peer at 198.51.100.1 claims to be node 7, but its node id is not proved: "))
        << reason;
    EXPECT_TRUE(reason.contains(
        R"(; if this peer is node 7, add {"nodeId": 7, "address": "198.51.100.1"} to `neighbours` )"
        "of induct 3"))
        << "it may be a stranger: " << reason;
    ASSERT_NE(core().advice(UpstreamId{1}), nullptr);
    EXPECT_EQ(*core().advice(UpstreamId{1}), reason);
    EXPECT_EQ(core().unproved_link(UpstreamId{1}), info->link);
    EXPECT_FALSE(claims_unproved(2, "dtn://seven/", "198.51.100.1"));
    const auto other = core().poll_info();
    ASSERT_TRUE(other);
    EXPECT_NE(other->link, info->link);
    EXPECT_EQ(other->neighbour, NodeNumber{});
    EXPECT_EQ(as_text(other->claimed_name), "dtn://seven/");
    EXPECT_TRUE(info->claimed_name.empty());
    EXPECT_NE(as_text(other->reason).find(R"("peerNodeId": "dtn://seven/"})"), std::string::npos);
    EXPECT_TRUE(as_text(other->reason).contains("; if this peer is dtn://seven/, add {"));
    EXPECT_TRUE(as_text(other->reason).contains("; NUMBER is the node number that routes"));
    EXPECT_FALSE(as_text(other->reason).contains("use TLS")) << "of no use without the entry";
    EXPECT_FALSE(claims(3, "dtn://eight/"));
    const auto proved = core().poll_info();
    ASSERT_TRUE(proved);
    EXPECT_TRUE(as_text(proved->reason).contains("no node number is configured for it"));
    EXPECT_TRUE(as_text(proved->reason).contains("; to send bundles to it, add {"));
    closes(3);
    EXPECT_TRUE(core().poll_info()->removed);

    EXPECT_FALSE(core().poll_info());
    core().publish_all_again();
    EXPECT_TRUE(core().poll_info());
    EXPECT_TRUE(core().poll_info());
    closes(1);
    const auto gone = core().poll_info();
    ASSERT_TRUE(gone);
    EXPECT_TRUE(gone->removed);
    EXPECT_EQ(gone->link, info->link);
    EXPECT_EQ(core().advice(UpstreamId{1}), nullptr);
    EXPECT_EQ(core().unproved_link(UpstreamId{1}), kNoLink);
}

TEST_F(NeighbourSessionsTest, APeerWithTheNumberOfThisNodeIsTold) {
    EXPECT_FALSE(claims_unproved(1, "ipn:10.0", "198.51.100.1"));
    ASSERT_NE(core().advice(UpstreamId{1}), nullptr);
    EXPECT_TRUE(core()
                    .advice(UpstreamId{1})
                    ->starts_with("a peer at 198.51.100.1 has the node number of this node, 10: "));
}

TEST_F(NeighbourSessionsTest, TheAdviceFitsTheConvergenceLayer) {
    const auto advice = [&](const char *scheme) {
        induct.url.scheme = scheme;
        EXPECT_FALSE(claims_unproved(1, "ipn:7.0", "198.51.100.1"));
        std::string words = core().advice(UpstreamId{1}) ? *core().advice(UpstreamId{1}) : "";
        closes(1);
        return words;
    };
    EXPECT_TRUE(
        advice("tcpclv4").ends_with("of induct " + std::to_string(induct.id.value()) +
                                    ", or use TLS with a certificate that proves the node id"));
    const std::string ltp = advice("ltp");
    EXPECT_TRUE(ltp.ends_with("; `ltpAuthenticationKeyFile` in this entry authenticates the node"))
        << ltp;
    EXPECT_EQ(ltp.find("TLS"), std::string::npos) << ltp;
    const std::string old = advice("tcpclv3");
    EXPECT_TRUE(old.ends_with("of induct " + std::to_string(induct.id.value()))) << old;
}

TEST_F(NeighbourSessionsTest, OnlySoManySessionsWithoutProofAreShown) {
    for (std::uint32_t session = 0; session < 100; ++session)
        EXPECT_FALSE(claims_unproved(session, "ipn:7.0", "198.51.100.1"));
    std::size_t shown = 0;
    while (core().poll_info()) ++shown;
    EXPECT_EQ(shown, 64U);
}

TEST_F(NeighbourSessionsTest, AnAddressThatIsListedForTheNodeIs) {
    induct.neighbours = {{NodeNumber{7}, "198.51.100.7", ""}, {NodeNumber{8}, "2001:db8::/32", ""}};
    EXPECT_FALSE(claims_unproved(1, "ipn:7.0", "198.51.100.8"));
    EXPECT_FALSE(claims_unproved(2, "ipn:8.0", "198.51.100.7")) << "listed for another node";
    EXPECT_FALSE(claims_unproved(3, "ipn:9.0", "198.51.100.7"));
    EXPECT_TRUE(claims_unproved(4, "ipn:7.0", "198.51.100.7"));
    EXPECT_TRUE(claims_unproved(5, "ipn:8.0", "2001:db8:1::2"));
    EXPECT_EQ(changes(), "+0/7 +1/8");
}

TEST_F(NeighbourSessionsTest, AnAddressMayBeListedForAnyNode) {
    induct.neighbours = {{NodeNumber{0}, "198.51.100.0/24", ""}};
    EXPECT_TRUE(claims_unproved(1, "ipn:7.0", "198.51.100.7"));
    EXPECT_TRUE(claims_unproved(2, "ipn:8.0", "198.51.100.7"));
    EXPECT_FALSE(claims_unproved(3, "ipn:9.0", "203.0.113.7"));
}

TEST_F(NeighbourSessionsTest, TheAddressOfTheNodesOutductCounts) {
    EXPECT_TRUE(claims_unproved(1, "ipn:5.0", "192.0.2.5"));
    EXPECT_FALSE(claims_unproved(2, "ipn:6.0", "192.0.2.5"));
    EXPECT_EQ(changes(), "+0/5");
}

TEST_F(NeighbourSessionsTest, SomeNamesAreNobody) {
    induct.neighbours = {{NodeNumber{0}, "198.51.100.0/24", ""}};
    EXPECT_FALSE(claims(1, "ipn:10.0")) << "this node itself";
    EXPECT_FALSE(claims(2, "ipn:0.0"));
    EXPECT_FALSE(claims(3, "dtn:none"));
    EXPECT_FALSE(claims(4, ""));
    EXPECT_FALSE(claims(5, "node seven"));
    EXPECT_FALSE(claims(6, "dtn://seven/")) << "no number, and none is told";
    EXPECT_EQ(changes(), "");
}

TEST_F(NeighbourSessionsTest, ANodeWithoutANumberIsToldByItsName) {
    induct.neighbours = {{NodeNumber{7}, "198.51.100.7", "dtn://seven/"}};
    EXPECT_FALSE(claims_unproved(1, "dtn://seven/", "198.51.100.8"));
    EXPECT_FALSE(claims_unproved(2, "dtn://eight/", "198.51.100.7"));
    EXPECT_FALSE(claims_unproved(3, "ipn:7.0", "198.51.100.7")) << "that node has another name";
    EXPECT_TRUE(claims_unproved(4, "dtn://seven/", "198.51.100.7"));
    EXPECT_EQ(changes(), "+0/7");
    closes(4);
    EXPECT_TRUE(claims(5, "dtn://seven/")) << "proved, from wherever it calls";
}

TEST_F(NeighbourSessionsTest, ALayerThatSendsNothingBackIsNoLink) {
    listener.sends = false;
    EXPECT_FALSE(claims(1, "ipn:7.0"));
    EXPECT_EQ(changes(), "");
    listener.sends = true;
    EXPECT_TRUE(claims(2, "ipn:7.0")) << "by another session it is one";
    closes(1);
    EXPECT_EQ(changes(), "+0/7");
}

// ---- one session at a time

TEST_F(NeighbourSessionsTest, ASecondClaimNeverDisplacesALiveSession) {
    induct.neighbours = {{NodeNumber{7}, "198.51.100.7", ""}};
    EXPECT_TRUE(claims_unproved(1, "ipn:7.0", "198.51.100.7"));
    EXPECT_FALSE(claims(2, "ipn:7.0")) << "not even with a proof";
    EXPECT_EQ(changes(), "+0/7");
    give(batch_of({30}));
    EXPECT_EQ(half(1).sent.size(), 1U);
    EXPECT_FALSE(listener.halves.contains(2));
}

TEST_F(NeighbourSessionsTest, AnotherSessionTakesOverWhenTheFirstHasEnded) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    EXPECT_FALSE(claims(2, "ipn:7.0"));
    EXPECT_FALSE(claims(3, "ipn:7.0"));
    closes(2);
    closes(1);
    EXPECT_EQ(changes(), "+0/7 -0/7 +0/7");
    EXPECT_FALSE(core().carried_by(UpstreamId{1}));
    EXPECT_FALSE(core().carried_by(UpstreamId{2})) << "it has ended before";
    ASSERT_TRUE(core().carried_by(UpstreamId{3}));
    give(batch_of({30}));
    EXPECT_EQ(half(3).tokens, Tokens{0});
}

TEST_F(NeighbourSessionsTest, WhoCannotTakeOverIsPassedOver) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    Listener deaf;
    deaf.sends = false;
    core().handle_peer(deaf, induct, UpstreamId{2}, {"ipn:7.0", "", true});
    EXPECT_FALSE(claims(3, "ipn:7.0"));
    closes(1);
    EXPECT_FALSE(core().carried_by(UpstreamId{2}));
    EXPECT_TRUE(core().carried_by(UpstreamId{3}));
    closes(2);
    closes(3);
    EXPECT_EQ(changes(), "+0/7 -0/7 +0/7 -0/7");
}

TEST_F(NeighbourSessionsTest, TheContactPacesWhateverSessionCarriesTheLink) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    EXPECT_FALSE(claims(2, "ipn:7.0"));
    EXPECT_FALSE(half(1).rate) << "no contact has told of any";
    core().handle(bus::LinkPace{kFirst, BitRate{5000}, {}, false});
    EXPECT_EQ(half(1).rate, BitRate{5000});
    EXPECT_FALSE(half(1).owlt) << "the session's own holds";
    core().handle(bus::LinkPace{kFirst, BitRate{5000}, seconds(2), true});
    EXPECT_EQ(half(1).owlt, seconds(2));
    core().handle(bus::LinkPace{kSecond, BitRate{1}, seconds(1), true});
    closes(1);
    EXPECT_EQ(half(2).rate, BitRate{5000});
    EXPECT_EQ(half(2).owlt, seconds(2));
    core().handle(bus::LinkPace{kFirst, BitRate{}, seconds(3), true});
    EXPECT_EQ(half(2).rate, BitRate{});
    EXPECT_EQ(half(2).owlt, seconds(3));
    closes(2);
    core().handle(bus::LinkPace{kFirst, BitRate{6000}, seconds(4), true});
    ASSERT_TRUE(claims(3, "ipn:7.0"));
    EXPECT_EQ(half(3).rate, BitRate{6000}) << "it was told while nobody was there";
}

TEST_F(NeighbourSessionsTest, TheSessionHearsOfItsContact) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    EXPECT_FALSE(half(1).suspended) << "until the plan says otherwise";
    core().handle(bus::SessionChange{kFirst, {}, false, {}});
    EXPECT_TRUE(half(1).suspended);
    core().handle(bus::SessionChange{kFirst, {}, true, {}});
    EXPECT_FALSE(half(1).suspended);
}

TEST_F(NeighbourSessionsTest, ANodeHasTheSameLinkEachTime) {
    ASSERT_TRUE(claims(1, "ipn:7.0"));
    ASSERT_TRUE(claims(2, "ipn:8.0"));
    closes(1);
    closes(2);
    ASSERT_TRUE(claims(3, "ipn:8.0"));
    ASSERT_TRUE(claims(4, "ipn:7.0"));
    EXPECT_EQ(changes(), "+0/7 +1/8 -0/7 -1/8 +1/8 +0/7");
}

}  // namespace
}  // namespace farlink::ingress::neighbour_sessions_test
