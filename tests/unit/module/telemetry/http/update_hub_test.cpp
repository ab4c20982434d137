// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/update_hub.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::update_hub_test {
namespace {

class Listener final : public Subscriber {
public:
    void send(std::shared_ptr<const std::string> text) override {
        texts.push_back(text);
        const Json message = Json::parse(*text);
        kinds += message["type"].get<std::string>()[0];
        if (message["type"] == "state") state = message["state"];
        if (message["type"] == "patch") state.merge_patch(message["patch"]);
    }
    [[nodiscard]] bool slow(TimePoint) const override { return is_slow; }
    void drop() override { dropped = true; }

    std::vector<std::shared_ptr<const std::string>> texts;
    std::string kinds;
    Json state;
    bool is_slow = false;
    bool dropped = false;
};

struct HubFixture : ApiFixture {
    UpdateHub hub{view};
    void turn() {
        moment.now += milliseconds(100);
        moment.wall += 100;
        hub.turn(moment);
    }
};

TEST(UpdateHub, PatchesMakeTheStateAtEachRate) {
    HubFixture node;
    const auto quick = std::make_shared<Listener>();
    const auto calm = std::make_shared<Listener>();
    node.hub.add(quick, 10, node.moment);
    node.hub.add(calm, 3, node.moment);
    for (int i = 0; i < 10; ++i) {
        node.publish(bus::LinkUp{{}, LinkId{1}, NodeNumber{20}, BitRate{static_cast<unsigned>(i)}});
        node.turn();
        EXPECT_EQ(quick->state, node.view.document(node.moment));
    }
    EXPECT_EQ(std::ranges::count(quick->kinds, 'p'), 10);
    EXPECT_EQ(std::ranges::count(calm->kinds, 'p'), 3);
    EXPECT_EQ(calm->state, node.view.document(node.moment));
    EXPECT_EQ(std::ranges::count(calm->kinds, 'e'), 1);
}

TEST(UpdateHub, WhoComesLateGetsWhatTheOthersHaveAndSharesTheirPatches) {
    HubFixture node;
    const auto first = std::make_shared<Listener>();
    const auto late = std::make_shared<Listener>();
    node.hub.add(first, 10, node.moment);
    node.turn();
    node.publish(bus::LinkUp{{}, LinkId{1}, NodeNumber{20}, BitRate{1}});
    node.hub.add(late, 10, node.moment);
    EXPECT_EQ(late->state, first->state);
    node.turn();
    EXPECT_EQ(late->state, node.view.document(node.moment));
    EXPECT_EQ(late->texts.back(), first->texts.back());
}

TEST(UpdateHub, WhoIsSlowIsDropped) {
    HubFixture node;
    const auto slow = std::make_shared<Listener>();
    const auto other = std::make_shared<Listener>();
    node.hub.add(slow, 10, node.moment);
    node.hub.add(other, 10, node.moment);
    slow->is_slow = true;
    node.turn();
    EXPECT_TRUE(slow->dropped);
    EXPECT_EQ(slow->kinds, "s");
    EXPECT_EQ(other->kinds, "sp");
    node.hub.remove(other);
    EXPECT_TRUE(node.hub.empty());
}

TEST(UpdateHub, AnotherRateBeginsAnew) {
    HubFixture node;
    const auto client = std::make_shared<Listener>();
    node.hub.add(client, 10, node.moment);
    node.hub.add(client, 1, node.moment);
    for (int i = 0; i < 10; ++i) node.turn();
    EXPECT_EQ(client->kinds, "ssp");
}

}  // namespace
}  // namespace farlink::telemetry::update_hub_test
