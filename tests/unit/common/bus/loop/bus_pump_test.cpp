// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/bus_pump.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <thread>

#include "common/runtime/clock.hpp"

namespace farlink::bus::bus_pump_test {
namespace {

constexpr AgentId kIngress = AgentId::kIngress;
constexpr AgentId kEgress = AgentId::kEgress;

class BusPumpTest : public testing::Test {
protected:
    template <class Done>
    [[nodiscard]] bool run_until(Done done) {
        const TimePoint give_up = monotonic_now() + seconds(20);
        while (!done()) {
            if (monotonic_now() > give_up) return false;
            io.restart();
            io.run_one_for(milliseconds(5));
        }
        return true;
    }

    BusContext context;
    BusPort sender{context, kIngress, {}};
    BusPort receiver{context, kEgress, {}};
    boost::asio::io_context io{1};
    std::vector<std::uint64_t> received;
    std::size_t turns = 0;
    BusPump pump{
        io, receiver,
        [this](Message message) { received.push_back(std::get<Backlog>(message).waiting); },
        [this] { ++turns; }};
};

TEST_F(BusPumpTest, BringsWhatCameBeforeTheStart) {
    for (std::uint64_t i = 0; i < 10; ++i) sender.send(kEgress, Backlog{1, i, 0});
    EXPECT_TRUE(received.empty());
    pump.start();
    EXPECT_TRUE(run_until([&] { return received.size() == 10; }));
    EXPECT_GE(turns, 1U);
}

// Sent in bursts from another thread while the loop sleeps, wakes and sleeps again.
TEST_F(BusPumpTest, BringsEveryMessageInOrder) {
    constexpr std::uint64_t kMessages = 20'000;
    pump.start();
    std::thread thread([&] {
        for (std::uint64_t i = 0; i < kMessages; ++i) {
            sender.send(kEgress, Backlog{1, i, 0});
            if (i % 37 == 0) std::this_thread::yield();
        }
    });
    EXPECT_TRUE(run_until([&] { return received.size() == kMessages; })) << received.size();
    thread.join();
    for (std::uint64_t i = 0; i < kMessages; ++i) ASSERT_EQ(received[i], i);
}

TEST_F(BusPumpTest, LeavesTheLoopToOthersBetweenTurns) {
    for (std::uint64_t i = 0; i < 1000; ++i) sender.send(kEgress, Backlog{1, i, 0});
    std::size_t at_the_time = 0;
    boost::asio::post(io, [&] { at_the_time = received.size(); });
    pump.start();
    EXPECT_TRUE(run_until([&] { return received.size() == 1000; }));
    EXPECT_GT(at_the_time, 0U);
    EXPECT_LT(at_the_time, 1000U);
    EXPECT_GE(turns, 1000U / 64);
}

}  // namespace
}  // namespace farlink::bus::bus_pump_test
