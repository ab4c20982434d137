// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "common/bus/event_stream.hpp"
#include "tests/support/bus_wait.hpp"

namespace farlink::bus::zmq_bus_test {
namespace {

using test::wait_for;
using test::wait_for_message;

constexpr AgentId kIngress = AgentId::kIngress;
constexpr AgentId kEgress = AgentId::kEgress;
constexpr AgentId kScheduler = AgentId::kScheduler;

LinkUp link_up(std::uint64_t sequence) {
    LinkUp event;
    event.header = {77, sequence};
    event.link = LinkId{static_cast<std::uint32_t>(sequence)};
    return event;
}

/// Events that arrive before the subscription has reached the publisher are lost, as they may be:
/// publishes until the first one is heard.
void join(BusPort &publisher, BusPort &subscriber) {
    for (int tries = 0; tries < 10'000; ++tries) {
        publisher.publish(link_up(0));
        if (subscriber.receive()) break;
        std::this_thread::yield();
    }
    while (subscriber.receive()) continue;
}

TEST(ZmqBus, LendsBatchesBetweenThreadsByPointer) {
    constexpr std::uint64_t kBatches = 2000;
    BusContext context;
    BusPort ingress(context, kIngress, {});
    BusPort egress(context, kEgress, {});
    std::thread borrower([&] {
        for (std::uint64_t i = 0; i < kBatches; ++i) {
            auto lent = wait_for<ForwardBatch>(egress);
            ASSERT_TRUE(lent.has_value());
            ASSERT_EQ(lent->batch->sequence, i) << "in order";
            ASSERT_EQ(lent->batch->bundles.size(), i % 5);
            lent->batch->uniform = Outcome::kSent;
            egress.send(kIngress, BatchOutcome{std::move(lent->batch)});
        }
    });
    std::vector<const Batch *> sent;
    for (std::uint64_t i = 0; i < kBatches; ++i) {
        auto batch = std::make_unique<Batch>();
        batch->sequence = i;
        batch->bundles.resize(i % 5);
        sent.push_back(batch.get());
        ingress.send(kEgress, ForwardBatch{std::move(batch)});
    }
    for (std::uint64_t i = 0; i < kBatches; ++i) {
        const auto back = wait_for<BatchOutcome>(ingress);
        ASSERT_TRUE(back.has_value());
        EXPECT_EQ(back->batch.get(), sent[i]) << "the very same";
        EXPECT_EQ(back->batch->uniform, Outcome::kSent);
    }
    borrower.join();
}

TEST(ZmqBus, CarriesEveryKindOfBatch) {
    BusContext context;
    BusPort egress(context, kEgress, {});
    const auto batch = [] { return std::make_unique<Batch>(); };
    egress.send(kEgress, ForwardBatch{batch()});
    egress.send(kEgress, StoreBatch{batch()});
    egress.send(kEgress, ReleaseBatch{batch()});
    egress.send(kEgress, BatchOutcome{batch()});
    for (std::size_t kind = 0; kind < 4; ++kind) {
        const auto message = wait_for_message(egress);
        ASSERT_TRUE(message.has_value());
        EXPECT_EQ(message->index(), kind);
    }
}

TEST(ZmqBus, CarriesReportsByValue) {
    BusContext context;
    BusPort sender(context, kEgress, {});
    BusPort receiver(context, AgentId::kTelemetry, {});
    std::thread thread([&] {
        for (std::uint64_t i = 1; i <= 100; ++i)
            sender.send(AgentId::kTelemetry,
                        CounterReport{kEgress, i, std::vector<std::uint64_t>(i, i)});
        sender.send(Outgoing{AgentId::kTelemetry, false,
                             ReportRequest{ReportEvent::kDeleted, 1, Bytes{1, 2, 3}, 9}});
    });
    for (std::uint64_t i = 1; i <= 100; ++i) {
        const auto report = wait_for<CounterReport>(receiver);
        ASSERT_TRUE(report.has_value());
        EXPECT_EQ(report->sequence, i);
        EXPECT_EQ(report->values, std::vector<std::uint64_t>(i, i));
    }
    const auto request = wait_for<ReportRequest>(receiver);
    ASSERT_TRUE(request.has_value());
    EXPECT_EQ(request->head, (Bytes{1, 2, 3}));
    thread.join();
}

TEST(ZmqBus, WaitsForAModuleThatStartsLater) {
    BusContext context;
    BusPort early(context, kIngress, {kScheduler});
    early.send(kScheduler, SnapshotRequest{kScheduler, kIngress});
    BusPort late(context, kScheduler, {});
    EXPECT_TRUE(wait_for<SnapshotRequest>(late).has_value());
    join(late, early);
    late.publish(link_up(1));
    EXPECT_TRUE(wait_for<LinkUp>(early).has_value());
}

TEST(ZmqBus, PublishesToItsSubscribersOnly) {
    BusContext context;
    BusPort scheduler(context, kScheduler, {});
    BusPort egress(context, kEgress, {kScheduler});
    BusPort storage(context, AgentId::kStorage, {AgentId::kRouter});
    join(scheduler, egress);
    scheduler.send(Outgoing{kIngress, true, link_up(1)});
    scheduler.publish(link_up(2));
    for (const std::uint64_t sequence : {1U, 2U}) {
        const auto event = wait_for<LinkUp>(egress);
        ASSERT_TRUE(event.has_value());
        EXPECT_EQ(event->header.sequence, sequence);
        EXPECT_EQ(event->header.epoch, 77U);
    }
    EXPECT_FALSE(egress.receive().has_value());
    EXPECT_FALSE(storage.receive().has_value());
    EXPECT_EQ(egress.undecodable(), 0U);
}

TEST(ZmqBus, ASlowSubscriberLosesEventsAndNotices) {
    BusContext context;
    BusPort scheduler(context, kScheduler, {}, 1);
    BusPort egress(context, kEgress, {kScheduler}, 1);
    join(scheduler, egress);
    EventStream stream;
    ASSERT_TRUE(stream.take_request());
    ASSERT_TRUE(stream.accept_snapshot({77, 0}));

    constexpr std::uint64_t kEvents = 100;
    for (std::uint64_t i = 1; i <= kEvents; ++i) scheduler.publish(link_up(i));
    std::uint64_t received = 0;
    std::optional<EventStream::Arrival> arrival;
    while (const auto message = egress.receive()) {
        ++received;
        // On a busy machine the gap may be among what is heard already.
        const auto found = stream.accept(std::get<LinkUp>(*message).header);
        if (found != EventStream::Arrival::kInOrder && !arrival) arrival = found;
    }
    EXPECT_LT(received, 5U) << "what does not fit is dropped, and nobody blocks";

    // Otherwise whatever is heard next tells of it.
    for (std::uint64_t i = kEvents + 1; !arrival && i < kEvents + 10'000; ++i) {
        scheduler.publish(link_up(i));
        if (const auto message = egress.receive())
            arrival = stream.accept(std::get<LinkUp>(*message).header);
    }
    ASSERT_TRUE(arrival.has_value());
    EXPECT_EQ(*arrival, EventStream::Arrival::kGap);
    EXPECT_TRUE(stream.take_request());
}

// Data that never ends must not keep an event waiting.
TEST(ZmqBus, ReceivesAnEventBetweenMuchData) {
    BusContext context;
    BusPort scheduler(context, kScheduler, {});
    BusPort egress(context, kEgress, {kScheduler});
    join(scheduler, egress);
    for (int i = 0; i < 1000; ++i) scheduler.send(kEgress, Stop{});
    scheduler.publish(link_up(1));
    int before = 0;
    while (const auto message = egress.receive()) {
        if (std::holds_alternative<LinkUp>(*message)) break;
        ++before;
    }
    EXPECT_LT(before, 100);
    while (egress.receive()) continue;
}

/// Sends one of everything that is held by pointer from one port to another.
void leave_messages(BusPort &from, AgentId to) {
    for (int i = 0; i < 50; ++i) {
        from.send(to, ForwardBatch{std::make_unique<Batch>()});
        from.send(to, CounterReport{kIngress, 1, std::vector<std::uint64_t>(100)});
    }
}

// These say nothing but under the address sanitizer, which finds what nobody freed.
TEST(ZmqBus, FreesWhatWasNotReceivedWhenTheReceiverEndsFirst) {
    BusContext context;
    BusPort sender(context, kIngress, {});
    {
        BusPort receiver(context, kEgress, {});
        leave_messages(sender, kEgress);
        ASSERT_TRUE(wait_for_message(receiver).has_value());
    }
}

TEST(ZmqBus, FreesWhatWasNotReceivedWhenTheSenderEndsFirst) {
    BusContext context;
    BusPort receiver(context, kEgress, {});
    {
        BusPort sender(context, kIngress, {});
        leave_messages(sender, kEgress);
    }
    EXPECT_TRUE(wait_for_message(receiver).has_value()) << "what was sent still arrives";
}

TEST(ZmqBus, FreesWhatItSentToItself) {
    BusContext context;
    BusPort port(context, kIngress, {});
    leave_messages(port, kIngress);
}

TEST(ZmqBus, ItsDescriptorsWakeASleeper) {
    BusContext context;
    BusPort sender(context, kIngress, {});
    BusPort receiver(context, kEgress, {kIngress});
    join(sender, receiver);
    std::thread thread([&] {
        for (std::uint64_t i = 1; i <= 1000; ++i) {
            sender.send(kEgress, Backlog{1, i, 0});
            if (i % 10 == 0) sender.publish(link_up(i));
        }
    });
    // wait_for_message() sleeps on the descriptors alone; one wake-up lost would be seen here.
    std::uint64_t data = 0;
    std::uint64_t events = 0;
    while (data < 1000 || events < 100) {
        const auto message = wait_for_message(receiver);
        ASSERT_TRUE(message.has_value()) << data << ' ' << events;
        std::holds_alternative<Backlog>(*message) ? ++data : ++events;
    }
    thread.join();
}

}  // namespace
}  // namespace farlink::bus::zmq_bus_test
