// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/addressing.hpp"

#include <gtest/gtest.h>

namespace farlink::bus::addressing_test {
namespace {

/// Inducts 0 and 1, outducts 2 and 3; the second of each belongs to the second instances.
config::LinkPlacement two_pairs() {
    config::NodeConfig config;
    config.threads.instances = 2;
    config.inducts.resize(2);
    config.outducts.resize(2);
    std::uint32_t next = 0;
    for (auto &induct : config.inducts) induct.id = LinkId{next++};
    for (auto &outduct : config.outducts) outduct.id = LinkId{next++};
    return config::LinkPlacement(config);
}

BatchPtr batch_for(std::uint32_t link, std::uint8_t owner_instance = 0) {
    auto batch = std::make_unique<Batch>();
    batch->link = LinkId{link};
    batch->instance = owner_instance;
    return batch;
}

TEST(Addressing, BundlesGoToTheInstanceThatHasTheirLink) {
    const Addressing from(AgentId::kIngress2, two_pairs());
    EXPECT_EQ(from.addressee(AgentId::kEgress, ForwardBatch{batch_for(2)}), AgentId::kEgress);
    EXPECT_EQ(from.addressee(AgentId::kEgress, ForwardBatch{batch_for(3)}), AgentId::kEgress2);
    const Addressing storage(AgentId::kStorage, two_pairs());
    EXPECT_EQ(storage.addressee(AgentId::kEgress, ReleaseBatch{batch_for(3)}), AgentId::kEgress2);
}

TEST(Addressing, AnOpenedLinkBelongsToTheInstanceThatNumberedIt) {
    const config::LinkPlacement placement = two_pairs();
    const Addressing storage(AgentId::kStorage, placement);
    for (std::size_t instance = 0; instance < 2; ++instance)
        for (std::size_t place = 0; place < 3; ++place) {
            const LinkId link = placement.opened(instance, place);
            EXPECT_EQ(storage.addressee(AgentId::kEgress, ReleaseBatch{batch_for(link.value())}),
                      instance_at(AgentId::kEgress, instance));
        }
}

TEST(Addressing, OutcomesGoToTheInstanceThatHasLentTheBatch) {
    const Addressing from(AgentId::kEgress, two_pairs());
    EXPECT_EQ(from.addressee(AgentId::kIngress, BatchOutcome{batch_for(2, 1)}), AgentId::kIngress2);
    EXPECT_EQ(from.addressee(AgentId::kStorage, BatchOutcome{batch_for(2, 0)}), AgentId::kStorage);
}

TEST(Addressing, BidirectionalSessionsStayInOnePair) {
    const Addressing ingress(AgentId::kIngress2, two_pairs());
    EXPECT_EQ(ingress.addressee(AgentId::kEgress, SessionChange{}), AgentId::kEgress2);
    EXPECT_EQ(ingress.addressee(AgentId::kEgress, UpstreamPause{}), AgentId::kEgress2);
    EXPECT_EQ(ingress.addressee(AgentId::kEgress, TransferDispositions{}), AgentId::kEgress2);
    const Addressing egress(AgentId::kEgress2, two_pairs());
    EXPECT_EQ(egress.addressee(AgentId::kIngress, ArrivedBatch{batch_for(3, 1)}),
              AgentId::kIngress2);
    EXPECT_EQ(egress.addressee(AgentId::kIngress, TransmitBatch{batch_for(3, 1)}),
              AgentId::kIngress2);
    EXPECT_EQ(egress.addressee(AgentId::kIngress, LinkPace{}), AgentId::kIngress2);
}

TEST(Addressing, MessagesOfTheNodeGoToTheFirstIngress) {
    const Addressing storage(AgentId::kStorage, two_pairs());
    EXPECT_EQ(storage.addressee(AgentId::kIngress, OriginateRequest{}), AgentId::kIngress);
    EXPECT_EQ(storage.addressee(AgentId::kIngress, ReportRequest{}), AgentId::kIngress);
    const Addressing ingress(AgentId::kIngress2, two_pairs());
    EXPECT_EQ(ingress.addressee(AgentId::kIngress, LocalDelivery{}), AgentId::kIngress);
}

TEST(Addressing, BacklogsGoToAllInstances) {
    const Addressing storage(AgentId::kStorage, two_pairs());
    EXPECT_TRUE(storage.for_all(AgentId::kIngress, Backlog{}));
    EXPECT_TRUE(storage.for_all(AgentId::kIngress, StorageReady{}));
    EXPECT_TRUE(storage.for_all(AgentId::kEgress, StorageReady{}));
    EXPECT_TRUE(storage.for_all(AgentId::kIngress, StorageReserve{}));
    EXPECT_FALSE(storage.for_all(AgentId::kIngress, OriginateRequest{}));
    EXPECT_FALSE(storage.for_all(AgentId::kRouter, BacklogReport{}));
}

TEST(Addressing, AnAddressedInstanceGetsTheMessage) {
    const Addressing supervisor(AgentId::kSupervisor, two_pairs());
    EXPECT_EQ(supervisor.addressee(AgentId::kEgress2, Stop{}), AgentId::kEgress2);
    EXPECT_EQ(supervisor.addressee(AgentId::kEgress, Stop{}), AgentId::kEgress);
    LinkChange change;
    change.link = LinkId{3};
    EXPECT_EQ(supervisor.addressee(AgentId::kEgress, change), AgentId::kEgress2);
}

}  // namespace
}  // namespace farlink::bus::addressing_test
