// SPDX-License-Identifier: Apache-2.0
// What the bus does when a process dies and another one takes its place.
#include <gtest/gtest.h>
#include <poll.h>

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "common/bus/zmq/zmq_bus_peer.hpp"
#include "common/bus/zmq/zmq_bus_socket.hpp"
#include "common/runtime/clock.hpp"
#include "tests/support/slab_batch.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/two_processes.hpp"

namespace farlink::bus::zmq_bus_death_test {
namespace {

using namespace test;

constexpr AgentId kStorage = AgentId::kStorage;
constexpr AgentId kEgress = AgentId::kEgress;
constexpr std::uint32_t kSlab = 16 * 1024;

/// Storage in the first process lives; egress in the second dies and comes back.
class ZmqBusDeath : public testing::TestWithParam<Wire> {
protected:
    ZmqBusDeath() {
        start_second();
        meet(first, *second);
    }
    void start_second() {
        second = std::make_unique<BusContext>(processes.second);
        egress = std::make_unique<BusPort>(*second, kEgress, std::vector<AgentId>{kStorage});
    }
    void kill_second() {
        egress.reset();
        second.reset();
    }
    /// Until the new process has heard of storage, which goes on meanwhile.
    void start_again() {
        start_second();
        for (int turn = 0; turn < 1000 && !second->meet(milliseconds(5)).complete(); ++turn)
            while (auto message = storage.receive()) received.push_back(std::move(*message));
        ASSERT_TRUE(second->meet(milliseconds(1)).complete());
    }
    /// The next message of this kind that storage hears, or has heard; the others wait.
    template <class Data>
    std::optional<Data> next() {
        for (;;) {
            for (auto at = received.begin(); at != received.end(); ++at) {
                if (!std::holds_alternative<Data>(*at)) continue;
                Data found = std::move(std::get<Data>(*at));
                received.erase(at);
                return found;
            }
            auto message = wait_for_message(storage);
            if (!message) return std::nullopt;
            received.push_back(std::move(*message));
        }
    }
    void lend(std::uint64_t sequence) {
        storage.send(kEgress, ReleaseBatch{batches.make(sequence)});
    }
    /// Batches come back, in whatever order: ZeroMQ may still have octets of some.
    void expect_unsent(std::uint64_t begin, std::uint64_t end) {
        std::set<std::uint64_t> expected;
        for (std::uint64_t sequence = begin; sequence < end; ++sequence) expected.insert(sequence);
        std::set<std::uint64_t> unsent;
        for (std::uint64_t sequence = begin; sequence < end; ++sequence) {
            const auto back = next<BatchOutcome>();
            ASSERT_TRUE(back.has_value()) << unsent.size() << " of " << end - begin;
            EXPECT_EQ(back->batch->outcome_of(back->batch->bundles.front()), Outcome::kNotSent);
            unsent.insert(back->batch->sequence);
        }
        EXPECT_EQ(unsent, expected);
    }

    zmq::context_t stranger{1};
    SlabBatches batches{kSlab};
    TwoProcesses processes{GetParam()};
    BusContext first{processes.first};
    BusPort storage{first, kStorage, {kEgress}};
    std::deque<Message> received;
    std::unique_ptr<BusContext> second;
    std::unique_ptr<BusPort> egress;
};

TEST_P(ZmqBusDeath, IsReportedAndLentBatchesComeBackAsNotSent) {
    for (std::uint64_t i = 0; i < 10; ++i) lend(i);
    ASSERT_TRUE(wait_for<ReleaseBatch>(*egress).has_value());
    kill_second();
    const auto lost = next<ModuleLost>();
    ASSERT_TRUE(lost.has_value());
    EXPECT_EQ(lost->module, kEgress);
    expect_unsent(0, 10);
    EXPECT_EQ(batches.pinned_bytes(), 0U);
    // Nobody is there.
    lend(10);
    expect_unsent(10, 11);
}

TEST_P(ZmqBusDeath, TheNextProcessGetsNoMessageOfItsPredecessor) {
    for (std::uint64_t i = 0; i < 100; ++i) lend(i);
    storage.send(kEgress, Stop{.drain = true});
    kill_second();
    // It has not been told yet, and goes on.
    for (std::uint64_t i = 100; i < 110; ++i) lend(i);
    storage.send(kEgress, Stop{.drain = true});
    start_again();
    ASSERT_TRUE(next<ModuleLost>().has_value());
    expect_unsent(0, 110);
    const auto back = next<ModuleBack>();
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(back->module, kEgress);
    lend(200);
    auto first_received = wait_for_message(*egress);
    ASSERT_TRUE(first_received.has_value());
    auto *released = std::get_if<ReleaseBatch>(&*first_received);
    ASSERT_NE(released, nullptr) << first_received->index();
    EXPECT_TRUE(batches.intact(*released->batch, 200));
    released->batch->uniform = Outcome::kSent;
    egress->send(kStorage, BatchOutcome{std::move(released->batch)});
    const auto answered = next<BatchOutcome>();
    ASSERT_TRUE(answered.has_value());
    EXPECT_EQ(answered->batch->sequence, 200U);
    EXPECT_EQ(storage.undecodable(), 0U);
}

// An answer of the dead one that was still on its way fits nothing that is lent now.
TEST_P(ZmqBusDeath, DiesAndComesBackAgainAndAgain) {
    for (int round = 0; round < 5; ++round) {
        lend(1);
        auto lent = wait_for<ReleaseBatch>(*egress);
        ASSERT_TRUE(lent.has_value()) << round;
        lent->batch->uniform = Outcome::kSent;
        egress->send(kStorage, BatchOutcome{std::move(lent->batch)});
        kill_second();
        start_again();
        ASSERT_TRUE(next<ModuleBack>().has_value());
        ASSERT_TRUE(next<BatchOutcome>().has_value()) << "answered, or not sent";
    }
    EXPECT_EQ(batches.pinned_bytes(), 0U);
}

TEST_P(ZmqBusDeath, SubscribersAreServedAnew) {
    kill_second();
    start_again();
    ASSERT_TRUE(next<ModuleBack>().has_value());
    LinkUp event;
    event.header = {7, 1};
    storage.publish(event);
    EXPECT_TRUE(wait_for<LinkUp>(*egress).has_value());
}

/// How often each side loses the other in a fifth of a second.
template <class Port>
std::pair<int, int> losses(Port &one, Port &other) {
    std::pair<int, int> count{};
    const TimePoint end = monotonic_now() + milliseconds(200);
    while (monotonic_now() < end) {
        while (const auto message = one.receive())
            count.first += std::holds_alternative<ModuleLost>(*message) ? 1 : 0;
        while (const auto message = other.receive())
            count.second += std::holds_alternative<ModuleLost>(*message) ? 1 : 0;
    }
    return count;
}

// A greeting by nobody knows who: both sides begin anew, agree after few turns, and go on.
TEST_P(ZmqBusDeath, AStrayHelloHasNoLastingEffect) {
    Hello hello;
    hello.module = kStorage;
    hello.software = processes.first.software;
    auto stray = make_push(stranger, processes.first, kEgress, 0);
    stray.connect(processes.first.address(kEgress));
    ASSERT_TRUE(send_with_stream(stray, 99, zmq::buffer(encode_hello(hello))));
    ASSERT_TRUE(wait_for<ModuleLost>(*egress).has_value());
    ASSERT_TRUE(next<ModuleLost>().has_value());
    ASSERT_TRUE(next<ModuleBack>().has_value());
    lend(1);
    EXPECT_TRUE(wait_for<ReleaseBatch>(*egress).has_value());
    EXPECT_EQ(losses(storage, *egress), (std::pair{0, 0}));
}

// It cannot listen, and so says nothing.
TEST_P(ZmqBusDeath, ASecondProcessWithTheModuleDoesNotAffectTheFirst) {
    {
        BusContext again(processes.first);
        const BusPort impostor(again, kStorage, {});
        EXPECT_NE(again.fault(), "");
    }
    EXPECT_EQ(losses(storage, *egress), (std::pair{0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Wires, ZmqBusDeath, test::kBothWires, test::name_of_wire);

/// While egress is dead, something that is no module listens at its address.
class ZmqBusStranger : public ZmqBusDeath {
protected:
    ZmqBusStranger() { kill_second(); }

    [[nodiscard]] test::TcpListener listen_instead() const {
        const std::string &address = processes.second.addresses[static_cast<std::size_t>(kEgress)];
        return test::TcpListener(
            static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1))));
    }
    static bool wait_readable(int fd) {
        constexpr int kPatienceMs = 10'000;
        pollfd polled{fd, POLLIN, 0};
        return ::poll(&polled, 1, kPatienceMs) == 1;
    }
    /// Storage calls, and hangs up when it hears the answer: ZeroMQ does not call again.
    static void answer(const test::TcpListener &listener) {
        static constexpr std::string_view kAnswer = "HTTP/1.1 400 Bad Request\r\n\r\n";
        ASSERT_TRUE(wait_readable(listener.fd()));
        auto caller = listener.accept();
        ASSERT_TRUE(caller.has_value());
        caller->send(as_bytes(kAnswer));
        while (!caller->ended()) {
            ASSERT_TRUE(wait_readable(caller->fd()));
            (void)caller->receive();
        }
    }
};

TEST_P(ZmqBusStranger, IsNotCalledForEverInPlaceOfTheModule) {
    ASSERT_TRUE(next<ModuleLost>().has_value());
    {
        const auto listener = listen_instead();
        answer(listener);
    }
    start_again();
    ASSERT_TRUE(next<ModuleBack>().has_value());
    lend(1);
    EXPECT_TRUE(wait_for<ReleaseBatch>(*egress).has_value());
}

TEST_P(ZmqBusStranger, IsCalledAgainAfterAWhile) {
    ASSERT_TRUE(next<ModuleLost>().has_value());
    const auto listener = listen_instead();
    answer(listener);
    const TimePoint now = monotonic_now();
    storage.mend(now);
    storage.mend(now + seconds(2));
    EXPECT_TRUE(wait_readable(listener.fd()));
}

INSTANTIATE_TEST_SUITE_P(Wires, ZmqBusStranger, testing::Values(Wire::kTcp), test::name_of_wire);

}  // namespace
}  // namespace farlink::bus::zmq_bus_death_test
