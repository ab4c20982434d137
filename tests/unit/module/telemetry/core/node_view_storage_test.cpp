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

}  // namespace
}  // namespace farlink::telemetry::node_view_storage_test
