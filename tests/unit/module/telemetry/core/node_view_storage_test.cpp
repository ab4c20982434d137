// SPDX-License-Identifier: Apache-2.0
// Which refusals of storage make it full.
#include <gtest/gtest.h>

#include <chrono>

#include "common/telemetry/storage_counters.hpp"
#include "module/telemetry/core/node_view.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_storage_test {
namespace {

TEST(NodeViewStorage, BundlesThatAreTooLargeMakeNoStorageFull) {
    ApiFixture node;
    for (std::uint64_t refused = 0; refused < 100; ++refused) {
        StorageCounters storage;
        storage.set(StorageCounter::kRefused, refused);
        storage.set(StorageCounter::kRefusedTooLarge, refused);
        node.publish(bus::CounterReport{bus::AgentId::kStorage, refused + 1, storage.snapshot()});
        node.moment.now += seconds(1);
        node.view.handle_second(node.moment);
    }
    EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "");
    EXPECT_EQ(node.view.events().after(0, 100).size(), 0U);
}

class NodeViewDisks : public testing::Test {
protected:
    /// A second in which storage refuses `more` bundles.
    void pass(std::vector<bus::DiskState> states, std::uint64_t more,
              bool reserve_missing = false) {
        bus::StorageReport report;
        for (const bus::DiskState state : states) report.disks.push_back({{'d'}, state, 10, 1000});
        report.reserve_missing = reserve_missing;
        refused_ += more;
        StorageCounters counters;
        counters.set(StorageCounter::kRefused, refused_);
        // The counters come first.
        node.publish(bus::CounterReport{bus::AgentId::kStorage, ++sequence_, counters.snapshot()});
        node.moment.now += seconds(1);
        node.view.handle_second(node.moment);
        node.publish(report);
    }
    [[nodiscard]] std::vector<std::string> texts() const {
        std::vector<std::string> all;
        for (const Json &event : node.view.events().after(0, 100)) all.push_back(event["text"]);
        return all;
    }
    [[nodiscard]] std::string degraded() {
        return node.view.document(node.moment)["node"]["degraded"];
    }

    ApiFixture node;
    std::uint64_t refused_ = 0;
    std::uint64_t sequence_ = 0;
};

constexpr auto kOk = bus::DiskState::kOk;
constexpr auto kFull = bus::DiskState::kFull;

TEST_F(NodeViewDisks, AFullDiskIsOneEventWhenItBeginsAndOneWhenItEnds) {
    pass({kOk}, 0);
    for (int i = 0; i < 20; ++i) pass({kFull}, 5);
    EXPECT_EQ(degraded(), "storage full");
    ASSERT_EQ(node.view.alarms().active().size(), 1U);
    const std::string alarm = node.view.alarms().active()[0]->condition.text;
    pass({kOk}, 5);
    for (int i = 0; i < 5; ++i) pass({kOk}, 0);
    EXPECT_EQ(degraded(), "storage full") << "for ten seconds";
    for (int i = 0; i < 30; ++i) pass({kOk}, 0);
    EXPECT_EQ(degraded(), "");
    EXPECT_EQ(texts(), (std::vector<std::string>{"disk d is full: storage accepts no bundles",
                                                 "disk d has free space again"}));
    ASSERT_EQ(node.view.alarms().ended().size(), 1U);
    EXPECT_EQ(node.view.alarms().ended()[0].condition.text, alarm) << "no other limit was reached";
}

TEST_F(NodeViewDisks, TheLastOfSeveralDisksSaysThatAllAreFull) {
    pass({kOk, kOk}, 0);
    pass({kFull, kOk}, 0);
    for (int i = 0; i < 5; ++i) pass({kFull, kFull}, 5);
    EXPECT_EQ(texts(), (std::vector<std::string>{"disk d is full",
                                                 "disk d is full: storage accepts no bundles"}));
}

TEST_F(NodeViewDisks, AQuotaIsAnEventOfItsOwn) {
    for (int i = 0; i < 5; ++i) pass({kFull}, 5);
    for (int i = 0; i < 9; ++i) pass({kOk}, 5);
    ASSERT_EQ(texts().size(), 3U);
    EXPECT_TRUE(texts()[2].starts_with("storage refuses bundles: "));
    for (int i = 0; i < 20; ++i) pass({kOk}, 0);
    EXPECT_EQ(texts().back(), "storage has free space; no bundle refused for ten seconds");
}

TEST_F(NodeViewDisks, AReserveThatIsCompleteRaisesNoAlarm) {
    pass({kOk}, 0, true);
    for (int i = 0; i < 30; ++i) pass({kOk}, 0);
    EXPECT_TRUE(node.view.alarms().active().empty());
    EXPECT_TRUE(node.view.alarms().ended().empty());
    EXPECT_TRUE(texts().empty());
    for (int i = 0; i < 10; ++i) pass({kOk}, 0, true);
    EXPECT_EQ(texts(), std::vector<std::string>{"storage accepts no bundles until its reserve for "
                                                "a shutdown is complete"});
}

}  // namespace
}  // namespace farlink::telemetry::node_view_storage_test
