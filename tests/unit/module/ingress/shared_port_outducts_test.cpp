// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/shared_port_outducts.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace farlink::ingress::shared_port_outducts_test {
namespace {

constexpr LinkId kInduct{0};
constexpr LinkId kOutduct{1'000};

/// An LTP induct that records its neighbours.
class RecordingInduct final : public cla::Induct {
public:
    [[nodiscard]] bool open() override { return true; }
    void close() override {}
    [[nodiscard]] std::uint16_t port() const override { return 1113; }
    [[nodiscard]] bool set_neighbours(const config::InductConfig &config) override {
        if (!accepts) return false;
        neighbours = config.neighbours.size();
        return true;
    }
    [[nodiscard]] std::string failure() const override { return "no key"; }

    bool accepts = true;
    std::size_t neighbours = 0;
};

class SharedPortOutductsTest : public testing::Test {
protected:
    SharedPortOutductsTest() {
        config.node = NodeNumber{10};
        auto hosted = std::make_unique<HostedInduct>();
        hosted->config.id = kInduct;
        hosted->config.url.scheme = "ltp";
        hosted->config.url.host = "127.0.0.1";
        hosted->config.url.port = 1113;
        auto made = std::make_unique<RecordingInduct>();
        induct = made.get();
        hosted->induct = std::move(made);
        inducts[kInduct] = std::move(hosted);
    }
    std::string change(bus::LinkVerb verb, std::string_view json = {}) {
        return outducts.change({.verb = verb,
                                .link = kOutduct,
                                .outduct = true,
                                .config = {json.begin(), json.end()}});
    }
    static constexpr std::string_view kShared =
        R"({"url": "ltp://127.0.0.2:1113", "nextHopNodeId": 2, "ltpSenderBoundPort": 1113})";
    static constexpr std::string_view kOther =
        R"({"url": "ltp://127.0.0.2:1113", "nextHopNodeId": 2, "ltpSenderBoundPort": 1114})";

    config::NodeConfig config;
    SharedPortOutducts::Inducts inducts;
    RecordingInduct *induct = nullptr;
    SharedPortOutducts outducts{config, inducts};
};

TEST_F(SharedPortOutductsTest, BecomeNeighboursOfTheInductWithTheirPort) {
    EXPECT_EQ(change(bus::LinkVerb::kAdd, kShared), "");
    EXPECT_EQ(induct->neighbours, 1U);
    EXPECT_EQ(change(bus::LinkVerb::kAdd, kShared), "outduct 1000 already exists");
    EXPECT_EQ(change(bus::LinkVerb::kRemove), "");
    EXPECT_EQ(induct->neighbours, 0U);
    EXPECT_EQ(change(bus::LinkVerb::kRemove), "there is no outduct 1000");
}

TEST_F(SharedPortOutductsTest, NeedAnInductWithTheirPort) {
    EXPECT_EQ(change(bus::LinkVerb::kAdd, kOther), "no LTP induct has the port 1114");
    induct->accepts = false;
    EXPECT_EQ(change(bus::LinkVerb::kAdd, kShared),
              "the LTP induct with this port rejected the outduct: no key");
}

TEST_F(SharedPortOutductsTest, AChangeThatFailsLeavesTheOldOne) {
    ASSERT_EQ(change(bus::LinkVerb::kAdd, kShared), "");
    EXPECT_NE(change(bus::LinkVerb::kChange, kOther), "");
    EXPECT_EQ(induct->neighbours, 1U);
}

TEST_F(SharedPortOutductsTest, StayWithAChangedInduct) {
    ASSERT_EQ(change(bus::LinkVerb::kAdd, kShared), "");
    config::InductConfig changed;
    changed.id = kInduct;
    outducts.add_to(changed);
    EXPECT_EQ(changed.neighbours.size(), 1U);
    outducts.handle_induct_removed(kInduct);
    EXPECT_EQ(change(bus::LinkVerb::kRemove), "there is no outduct 1000");
    ASSERT_EQ(change(bus::LinkVerb::kAdd, kShared), "");
    EXPECT_EQ(outducts.remove_changed({kOutduct, LinkId{77}}), std::vector<LinkId>{kOutduct});
}

}  // namespace
}  // namespace farlink::ingress::shared_port_outducts_test
