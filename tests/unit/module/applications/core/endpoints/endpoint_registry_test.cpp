// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/endpoints/endpoint_registry.hpp"

#include <gtest/gtest.h>

#include "common/base/endpoint_links.hpp"

namespace farlink::applications::endpoint_registry_test {
namespace {

config::ApplicationsNode node() {
    config::ApplicationsNode config;
    config.node = NodeNumber{10};
    config.echo_service = 2047;
    config.applications.max_endpoints = 2;
    config.applications.endpoints.push_back({"142"});
    return config;
}

class EndpointRegistryTest : public testing::Test {
protected:
    EndpointRegistryTest() { (void)registry.poll_change(); }

    Verdict join(std::uint32_t connection, std::uint64_t service, bool receives,
                 std::string_view secret = "s", Duration stay = {}) {
        return registry.join(UpstreamId{connection},
                             {bp::ipn_eid(10, service), secret, owner, receives, stay}, found);
    }

    EndpointRegistry registry{node()};
    std::string owner = "uid 1";
    Endpoint *found = nullptr;
    TimePoint now = TimePoint{} + seconds(100);
};

TEST_F(EndpointRegistryTest, AConfiguredEndpointIsThereFromTheBeginning) {
    const bus::EndpointsChange all = registry.all(true);
    EXPECT_TRUE(all.whole);
    ASSERT_EQ(all.endpoints.size(), 1U);
    EXPECT_TRUE(is_endpoint_link(all.endpoints[0].link));
    EXPECT_EQ(as_text(all.endpoints[0].endpoint), "ipn:10.142");
    EXPECT_FALSE(all.endpoints[0].up);
}

TEST_F(EndpointRegistryTest, ItIsUpWhileSomebodyReceivesThere) {
    ASSERT_TRUE(join(1, 142, false).good());
    EXPECT_FALSE(registry.poll_change()) << "a sender changes nothing";
    ASSERT_TRUE(join(2, 142, true).good());
    auto change = registry.poll_change();
    ASSERT_TRUE(change);
    EXPECT_TRUE(change->endpoints.at(0).up);
    ASSERT_TRUE(join(3, 142, true).good());
    EXPECT_FALSE(registry.poll_change()) << "it was up";
    const LinkId link = found->link;
    registry.leave(UpstreamId{2}, link, now);
    EXPECT_FALSE(registry.poll_change());
    registry.leave(UpstreamId{3}, link, now);
    change = registry.poll_change();
    ASSERT_TRUE(change);
    EXPECT_FALSE(change->endpoints.at(0).up);
    EXPECT_FALSE(change->endpoints.at(0).removed);
}

TEST_F(EndpointRegistryTest, ADynamicEndpointEndsWithItsLastConnection) {
    ASSERT_TRUE(join(1, 300, true).good());
    const LinkId link = found->link;
    registry.leave(UpstreamId{1}, link, now);
    EXPECT_EQ(registry.find(link), nullptr);
    const auto change = registry.poll_change();
    ASSERT_TRUE(change);
    EXPECT_TRUE(change->endpoints.back().removed);
}

TEST_F(EndpointRegistryTest, OrLaterIfItWasAskedTo) {
    LinkId link = kNoLink;
    for (std::uint32_t connection = 1; connection < 4; ++connection) {
        ASSERT_TRUE(join(connection, 300, true, "s", seconds(60)).good());
        link = found->link;
        registry.leave(UpstreamId{connection}, link, now);
        EXPECT_EQ(registry.next_timeout(), now + seconds(60));
        now += seconds(10);
    }
    registry.handle_timeout(now);
    EXPECT_NE(registry.find(link), nullptr);
    now = registry.next_timeout();
    registry.handle_timeout(now);
    EXPECT_EQ(registry.find(link), nullptr);
    EXPECT_EQ(registry.next_timeout(), kNever);
}

TEST_F(EndpointRegistryTest, AnotherSecretIsRefusedWhileTheEndpointIsHeld) {
    ASSERT_TRUE(join(1, 300, true, "one", seconds(60)).good());
    EXPECT_EQ(join(2, 300, true, "two").status, ResponseStatus::kUnauthorized);
    registry.leave(UpstreamId{1}, found->link, now);
    EXPECT_EQ(join(2, 300, true, "two").status, ResponseStatus::kUnauthorized) << "it stays";
    ASSERT_TRUE(join(3, 142, true, "one").good());
    registry.leave(UpstreamId{3}, found->link, now);
    EXPECT_TRUE(join(4, 142, true, "two").good()) << "nobody has it";
}

TEST_F(EndpointRegistryTest, NumbersAreUsedAgain) {
    ASSERT_TRUE(join(1, 300, true).good());
    const LinkId link = found->link;
    registry.leave(UpstreamId{1}, link, now);
    ASSERT_TRUE(join(2, 301, true).good());
    EXPECT_EQ(found->link, link);
}

TEST_F(EndpointRegistryTest, DynamicEndpointsAreLimited) {
    EXPECT_TRUE(join(1, 300, true).good());
    EXPECT_EQ(join(2, 301, true).status, ResponseStatus::kError) << "half are for others";
    owner = "uid 2";
    EXPECT_TRUE(join(2, 301, true).good());
    owner = "uid 3";
    EXPECT_EQ(join(3, 302, true).status, ResponseStatus::kError);
    EXPECT_TRUE(join(4, 301, true).good());
    EXPECT_TRUE(join(5, 142, true).good());
}

}  // namespace
}  // namespace farlink::applications::endpoint_registry_test
