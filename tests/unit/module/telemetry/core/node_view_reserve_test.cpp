// SPDX-License-Identifier: Apache-2.0
// A store without its reserve is full, although nothing is offered to it.
#include <gtest/gtest.h>

#include "common/telemetry/storage_counters.hpp"
#include "module/telemetry/core/node_view.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::node_view_reserve_test {
namespace {

TEST(NodeViewReserve, WithoutItTheNodeIsDegradedAndTheAlarmIsActive) {
    ApiFixture node;
    std::uint64_t sequence = 0;
    const auto pass = [&](bool missing, int rounds) {
        const auto state = missing ? bus::DiskState::kFull : bus::DiskState::kOk;
        for (; rounds > 0; --rounds) {
            node.publish(bus::StorageReport{{{{'d'}, state, 10, 1000}}, {}, 0, missing});
            node.publish(bus::CounterReport{bus::AgentId::kStorage, ++sequence,
                                            StorageCounters().snapshot()});
            node.moment.now += seconds(1);
            node.view.handle_second(node.moment);
        }
    };
    pass(true, 3);
    EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "storage full");
    ASSERT_EQ(node.view.alarms().active().size(), 1U);
    EXPECT_EQ(node.view.alarms().active()[0]->name(), AlarmName::kStorageFull);
    pass(true, 60);
    EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "storage full");
    pass(false, 30);
    EXPECT_EQ(node.view.document(node.moment)["node"]["degraded"], "");
    EXPECT_TRUE(node.view.alarms().active().empty());
}

}  // namespace
}  // namespace farlink::telemetry::node_view_reserve_test
