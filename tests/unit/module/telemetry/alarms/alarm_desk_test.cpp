// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/alarm_desk.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/telemetry/storage_counters.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::alarm_desk_test {
namespace {

TEST(AlarmDesk, AnAlarmEndsWithoutAnError) {
    ApiFixture node;
    boost::asio::io_context io;
    AlarmDesk desk(io, node.config, node.view);
    std::uint64_t sequence = 0;
    const auto pass = [&](std::uint64_t suspended, int rounds) {
        StorageCounters storage;
        storage.set(StorageCounter::kExpirySuspended, suspended);
        for (; rounds > 0; --rounds) {
            node.publish(
                bus::CounterReport{bus::AgentId::kStorage, ++sequence, storage.snapshot()});
            node.moment.now += seconds(1);
            node.view.handle_second(node.moment);
            desk.publish();
        }
    };
    testing::internal::CaptureStderr();
    pass(1, 5);
    const std::string raised = testing::internal::GetCapturedStderr();
    EXPECT_NE(raised.find("error"), std::string::npos) << raised;
    EXPECT_NE(raised.find("alarm clock-suspended raised"), std::string::npos) << raised;
    testing::internal::CaptureStderr();
    pass(0, 10);
    const std::string ended = testing::internal::GetCapturedStderr();
    EXPECT_NE(ended.find("alarm clock-suspended ended"), std::string::npos) << ended;
    EXPECT_NE(ended.find("info"), std::string::npos) << ended;
    EXPECT_EQ(ended.find("error"), std::string::npos) << ended;
}

}  // namespace
}  // namespace farlink::telemetry::alarm_desk_test
