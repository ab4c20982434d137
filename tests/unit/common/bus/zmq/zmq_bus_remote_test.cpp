// SPDX-License-Identifier: Apache-2.0
// The bus between two contexts that share nothing, as between processes.
#include "common/bus/zmq/zmq_bus_remote.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/bus/event_stream.hpp"
#include "common/bus/zmq/zmq_bus_peer.hpp"
#include "tests/support/slab_batch.hpp"
#include "tests/support/two_processes.hpp"

namespace farlink::bus::zmq_bus_remote_test {
namespace {

using namespace test;

constexpr AgentId kStorage = AgentId::kStorage;
constexpr AgentId kEgress = AgentId::kEgress;
// To the thread sanitizer each word that crosses the system's libzmq is a race, which is found,
// looked for among all the others and suppressed: few of them, and enough to leave without a copy.
#if defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kSlab = 2048;
constexpr std::uint64_t kBatches = 20;
#else
constexpr std::uint32_t kSlab = 256 * 1024;
constexpr std::uint64_t kBatches = 200;
#endif

/// Storage here, egress there; both have met.
class ZmqBusRemote : public testing::TestWithParam<Wire> {
protected:
    ZmqBusRemote() { meet(first, second); }

    SlabBatches batches{kSlab};
    TwoProcesses processes{GetParam()};
    BusContext first{processes.first};
    BusContext second{processes.second};
    BusPort storage{first, kStorage, {}};
    BusPort egress{second, kEgress, {kStorage}};
};

/// Sends a value of each alternative but batches.
template <std::size_t kIndex = 0>
void send_each(BusPort &from, AgentId to, std::vector<std::size_t> &sent) {
    if constexpr (kIndex < std::variant_size_v<MessageVariant>) {
        using Data = std::variant_alternative_t<kIndex, MessageVariant>;
        constexpr bool kOfTheBus =
            std::is_same_v<Data, ModuleLost> || std::is_same_v<Data, ModuleBack>;
        if constexpr (!kOfTheBus && !requires(Data data) { data.batch; }) {
            from.send(to, Data{});
            sent.push_back(kIndex);
        }
        send_each<kIndex + 1>(from, to, sent);
    }
}

TEST_P(ZmqBusRemote, CarriesEveryKindOfMessageInOrder) {
    std::vector<std::size_t> sent;
    send_each(storage, kEgress, sent);
    EXPECT_EQ(sent.size(), std::variant_size_v<MessageVariant> - 8);
    for (const std::size_t kind : sent) {
        const auto message = wait_for_message(egress);
        ASSERT_TRUE(message.has_value());
        EXPECT_EQ(message->index(), kind);
    }
    EXPECT_EQ(egress.undecodable(), 0U);
}

TEST_P(ZmqBusRemote, LendsBatchesAndGetsTheSameBack) {
    std::thread borrower([&] {
        for (std::uint64_t i = 0; i < kBatches; ++i) {
            auto lent = wait_for<ReleaseBatch>(egress);
            ASSERT_TRUE(lent.has_value());
            ASSERT_TRUE(batches.intact(*lent->batch, i));
            lent->batch->uniform = i % 2 == 0 ? Outcome::kSent : Outcome::kTooLate;
            egress.send(kStorage, BatchOutcome{std::move(lent->batch)});
        }
    });
    std::vector<const Batch *> sent;
    for (std::uint64_t i = 0; i < kBatches; ++i) {
        BatchPtr batch = batches.make(i);
        sent.push_back(batch.get());
        storage.send(kEgress, ReleaseBatch{std::move(batch)});
    }
    for (std::uint64_t i = 0; i < kBatches; ++i) {
        auto back = wait_for<BatchOutcome>(storage);
        ASSERT_TRUE(back.has_value()) << i;
        const std::uint64_t sequence = back->batch->sequence;
        ASSERT_LT(sequence, kBatches);
        EXPECT_EQ(back->batch.get(), sent[sequence]) << "the very same";
        EXPECT_EQ(back->batch->outcome_of(back->batch->bundles.front()),
                  sequence % 2 == 0 ? Outcome::kSent : Outcome::kTooLate);
        batches.recycle(std::move(back->batch));
    }
    borrower.join();
    EXPECT_EQ(batches.pinned_bytes(), 0U);
}

TEST_P(ZmqBusRemote, PublishesToSubscribersOfOtherProcesses) {
    LinkUp event;
    event.header = {77, 1};
    storage.publish(event);
    const auto received = wait_for<LinkUp>(egress);
    ASSERT_TRUE(received.has_value());
    EXPECT_EQ(received->header.epoch, 77U);
}

// Nothing that was lent is read after its memory is gone: the address sanitizer would tell.
TEST_P(ZmqBusRemote, SurvivesAPeerThatVanishesWhileFramesAreQueued) {
    for (std::uint64_t i = 0; i < 40; ++i) storage.send(kEgress, ReleaseBatch{batches.make(i)});
    const auto lent = wait_for<ReleaseBatch>(egress);
    ASSERT_TRUE(lent.has_value());
    EXPECT_TRUE(batches.intact(*lent->batch, 0));
    EXPECT_GT(batches.pinned_bytes(), 0U) << "kept until the ports end";
}

INSTANTIATE_TEST_SUITE_P(Wires, ZmqBusRemote, test::kBothWires, test::name_of_wire);

TEST(ZmqBusMeeting, WaitsForAProcessThatStartsLater) {
    TwoProcesses processes(Wire::kIpc);
    BusContext first(processes.first);
    BusPort storage(first, kStorage, {});
    const auto meeting = first.meet(milliseconds(1));
    EXPECT_EQ(meeting.awaited, std::vector{kEgress});
    EXPECT_FALSE(meeting.complete());
    BusContext second(processes.second);
    BusPort egress(second, kEgress, {});
    meet(first, second);
    EXPECT_TRUE(first.meet(milliseconds(1)).complete());
    storage.send(kEgress, Stop{});
    EXPECT_TRUE(wait_for<Stop>(egress).has_value());
}

TEST(ZmqBusMeeting, AModuleThatIsNotAwaitedIsBackWhenItConnects) {
    TwoProcesses processes(Wire::kIpc);
    BusContext first(processes.first);
    BusPort storage(first, kStorage, {});
    EXPECT_EQ(first.meet(milliseconds(1)).awaited, std::vector{kEgress});
    first.go_on();
    storage.send(kEgress, Stop{.drain = true});  // nobody hears that, then or later
    BusContext second(processes.second);
    BusPort egress(second, kEgress, {});
    const auto back = wait_for<ModuleBack>(storage);
    ASSERT_TRUE(back.has_value());
    for (int turn = 0; turn < 1000 && !second.meet(milliseconds(5)).complete(); ++turn)
        EXPECT_FALSE(storage.receive().has_value());
    EXPECT_EQ(back->module, kEgress);
    storage.send(kEgress, Stop{});
    const auto received = wait_for<Stop>(egress);
    ASSERT_TRUE(received.has_value());
    EXPECT_FALSE(received->drain);
}

TEST(ZmqBusMeeting, ALateIncompatibleProcessGetsTheReason) {
    TwoProcesses processes(Wire::kIpc);
    processes.second.software = {'2'};
    BusContext first(processes.first);
    BusPort storage(first, kStorage, {});
    first.go_on();
    BusContext second(processes.second);
    BusPort egress(second, kEgress, {});
    std::string why;
    for (int turn = 0; turn < 1000 && (why.empty() || storage.undecodable() == 0); ++turn) {
        why = second.meet(milliseconds(5)).mismatch;
        EXPECT_FALSE(storage.receive().has_value());
    }
    EXPECT_NE(why.find("storage"), why.npos) << why;
    EXPECT_EQ(storage.last_refusal(), "a module of another version or configuration");
}

TEST(ZmqBusMeeting, RefusesAnotherVersionAndAnotherConfiguration) {
    for (const bool version : {true, false}) {
        TwoProcesses processes(Wire::kIpc);
        if (version)
            processes.second.software = {'2'};
        else
            processes.second.parts = {{{'k'}, 1}};
        BusContext first(processes.first);
        BusContext second(processes.second);
        BusPort storage(first, kStorage, {});
        BusPort egress(second, kEgress, {});
        meet(first, second);
        for (BusContext *context : {&first, &second}) {
            const std::string why = context->meet(milliseconds(1)).mismatch;
            EXPECT_NE(why.find("storage"), why.npos) << why;
            EXPECT_NE(why.find("egress"), why.npos) << why;
        }
    }
}

TEST(ZmqBusMeeting, AProcessWithAnotherKeyIsRejected) {
    TwoProcesses processes(Wire::kTcp);
    processes.second.curve = make_curve_keys();
    BusContext first(processes.first);
    BusContext second(processes.second);
    BusPort storage(first, kStorage, {});
    BusPort egress(second, kEgress, {});
    meet(first, second, 20);
    EXPECT_EQ(first.meet(milliseconds(1)).awaited, std::vector{kEgress});
}

// It knows the public key, which is no secret, and has a pair of its own.
TEST(ZmqBusMeeting, AProcessWithThePublicKeyOnlyIsRejected) {
    TwoProcesses processes(Wire::kTcp);
    BusContext first(processes.first);
    BusPort storage(first, kStorage, {});
    const CurveKeys own = make_curve_keys().value();
    zmq::context_t context(1);
    zmq::socket_t stranger(context, zmq::socket_type::push);
    stranger.set(zmq::sockopt::linger, 0);
    stranger.set(zmq::sockopt::curve_serverkey, processes.first.curve->public_key);
    stranger.set(zmq::sockopt::curve_publickey, own.public_key);
    stranger.set(zmq::sockopt::curve_secretkey, own.secret_key);
    stranger.connect(processes.first.address(kStorage));
    EXPECT_TRUE(send_with_stream(stranger, kNoStream, zmq::buffer(encode(Stop{}).header)));
    for (int turn = 0; turn < 20; ++turn) {
        (void)first.meet(milliseconds(5));
        EXPECT_FALSE(storage.receive().has_value());
    }
}

TEST(ZmqBusMeeting, AnIpcSocketIsPrivateAndHasOneListener) {
    TwoProcesses processes(Wire::kIpc);
    BusContext first(processes.first);
    BusPort storage(first, kStorage, {});
    struct stat status{};
    ASSERT_EQ(::stat(processes.path_of("storage").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
    BusContext again(processes.first);
    const BusPort intruder(again, kStorage, {});
    EXPECT_NE(again.fault().find("another process listens on the socket"), std::string::npos);
    EXPECT_EQ(first.fault(), "");
}

TEST(ZmqBusMeeting, AFileThatIsNoSocketStaysWhatItIs) {
    TwoProcesses processes(Wire::kIpc);
    std::ofstream(processes.path_of("storage")) << "precious";
    BusContext first(processes.first);
    const BusPort storage(first, kStorage, {});
    EXPECT_NE(first.fault().find("the path exists and is not a socket"), std::string::npos)
        << first.fault();
    EXPECT_TRUE(std::filesystem::is_regular_file(processes.path_of("storage")));
}

/// Sends frames as nobody of the node would.
class Stranger {
public:
    explicit Stranger(const std::string &address) : socket_(context_, zmq::socket_type::push) {
        socket_.set(zmq::sockopt::linger, 1000);
        socket_.connect(address);
    }
    /// As a connection with this number, or without one.
    void send(std::vector<Bytes> frames, std::optional<std::uint64_t> stream = kNoStream) {
        if (stream) {
            Bytes number(kStreamBytes);
            std::memcpy(number.data(), &*stream, kStreamBytes);
            frames.insert(frames.begin(), number);
        }
        for (std::size_t at = 0; at < frames.size(); ++at)
            (void)socket_.send(zmq::buffer(frames[at]), at + 1 < frames.size()
                                                            ? zmq::send_flags::sndmore
                                                            : zmq::send_flags::none);
    }

private:
    zmq::context_t context_{1};
    zmq::socket_t socket_;
};

TEST(ZmqBusHostile, WhatIsDamagedIsCountedAndDropped) {
    TwoProcesses processes(Wire::kIpc);
    BusContext second(processes.second);
    BusPort egress(second, kEgress, {});
    Stranger stranger(processes.second.address(kEgress));

    auto batch = std::make_unique<Batch>();
    batch->owner = BatchOwner::kIngress;
    BatchOutcome unknown{std::make_unique<Batch>()};
    unknown.batch->sequence = 9;
    const EncodedMessage stop = encode(Stop{});
    Bytes other_version = stop.header;
    other_version[2] = 99;
    Bytes longer = stop.header;
    longer.push_back(1);
    std::vector<std::vector<Bytes>> damaged{
        {{}},
        {{'F', 'L'}},
        {{'F', 'L', 0, 'H', 1}},
        {other_version},
        {longer},
        {Bytes(16, 0xff)},
        {encode(Message(ReleaseBatch{std::move(batch)})).header},
        {encode(Message(std::move(unknown))).header},
        {encode(RouteUpdate{}).header},
        {encode(ModuleLost{kStorage}).header},
        {{'F', 'L', kWireVersion, 1}, Bytes(5000, 0xaa)}};
    // More than are looked at in a row.
    damaged.insert(damaged.end(), 200, {{'?'}});
    for (const auto &frames : damaged) stranger.send(frames);
    stranger.send({stop.header}, std::nullopt);
    stranger.send({{1, 2, 3}, stop.header}, std::nullopt);
    stranger.send({stop.header});
    EXPECT_TRUE(wait_for<Stop>(egress).has_value());
    EXPECT_EQ(egress.undecodable(), damaged.size() + 2);
    EXPECT_NE(egress.last_refusal(), "");
}

// What was meant for a process that has died is not for the one after it.
TEST(ZmqBusHostile, AMessageOfAnUnknownConnectionIsDropped) {
    TwoProcesses processes(Wire::kIpc);
    BusContext second(processes.second);
    BusPort egress(second, kEgress, {});
    Stranger stranger(processes.second.address(kEgress));
    stranger.send({encode(Stop{.drain = true}).header}, 12345);
    stranger.send({encode(Stop{}).header});
    const auto stop = wait_for<Stop>(egress);
    ASSERT_TRUE(stop.has_value());
    EXPECT_FALSE(stop->drain);
    EXPECT_EQ(egress.undecodable(), 0U);
}

TEST(ZmqBusHostile, AFullQueueOfEventsDropsAndIsNoticed) {
    TwoProcesses processes(Wire::kIpc);
    BusContext first(processes.first);
    BusContext second(processes.second);
    BusPort storage(first, kStorage, {}, 1);
    BusPort egress(second, kEgress, {kStorage}, 1);
    meet(first, second);
    EventStream stream;
    ASSERT_TRUE(stream.take_request());
    ASSERT_TRUE(stream.accept_snapshot({5, 0}));
    // More than the queue, and than the kernel keeps for the socket.
    std::uint64_t sequence = 0;
    LinkUp event;
    for (int i = 0; i < 50'000; ++i) {
        event.header = {5, ++sequence};
        storage.publish(event);
    }
    std::optional<EventStream::Arrival> arrival;
    for (int i = 0; i < 100'000 && arrival != EventStream::Arrival::kGap; ++i) {
        if (const auto message = egress.receive())
            arrival = stream.accept(std::get<LinkUp>(*message).header);
        event.header = {5, ++sequence};
        storage.publish(event);
    }
    EXPECT_EQ(arrival, EventStream::Arrival::kGap);
}

}  // namespace
}  // namespace farlink::bus::zmq_bus_remote_test
