// SPDX-License-Identifier: Apache-2.0
// A further instance of ingress: what it numbers is unlike what the first one numbers, and bundles
// for the node itself go to the first.
#include <set>

#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress {
namespace {

class Instances : public testing::Test {
protected:
    Instances() {
        config.node = NodeNumber{10};
        config.storage.capacity_bytes = 1 << 30;
        config.threads.instances = 2;
        config.status_reports = true;
        for (std::size_t at = 0; at < 2; ++at)
            cores.emplace_back(config, pool, test::kClock, 1001, at);
    }
    /// A bundle comes to one instance; what it says is in `said` then.
    void receive(std::size_t instance, const Bytes &octets) {
        ReceivedBundles received;
        SlabRef slab = pool.acquire_sized(static_cast<std::uint32_t>(octets.size()));
        std::ranges::copy(octets, slab->data);
        received.add(slab, {slab->data, octets.size()});
        slab.reset();
        cores[instance].handle_bundles(kUp, received, now);
        received.clear();
        collect(instance);
    }
    void collect(std::size_t instance) {
        said.clear();
        while (auto out = cores[instance].poll_message()) said.push_back(std::move(*out));
    }
    template <class Kind>
    const Kind *only() {
        if (said.size() != 1) return nullptr;
        return std::get_if<Kind>(&said.front().message);
    }
    /// Storage has taken what `said` brings it.
    void acknowledge_as(std::size_t instance) {
        for (bus::Outgoing &out : said) {
            auto *stored = std::get_if<bus::StoreBatch>(&out.message);
            if (stored == nullptr) continue;
            stored->batch->uniform = Outcome::kStored;
            cores[instance].handle(bus::BatchOutcome{std::move(stored->batch)}, now);
        }
        said.clear();
    }
    static Bytes to_echo(std::uint64_t sequence) {
        test::TestBundle ping;
        ping.to = bp::ipn_eid(10, 2047);
        ping.sequence = sequence;
        return ping.octets();
    }
    std::uint64_t value(std::size_t instance, IngressCounter counter) {
        return cores[instance].counters().value(counter);
    }

    static constexpr UpstreamId kUp{7};
    config::NodeConfig config;
    SlabPool pool{64 * 1024, 1 << 24};
    std::deque<IngressCore> cores;
    TimePoint now = test::at_ms(1000);
    std::vector<bus::Outgoing> said;
};

TEST_F(Instances, NumberArrivalsUnlikeEachOther) {
    std::set<std::uint64_t> numbers;
    for (std::uint64_t sequence = 0; sequence < 20; ++sequence) {
        for (std::size_t instance = 0; instance < 2; ++instance) {
            test::TestBundle bundle;
            bundle.to = bp::ipn_eid(2, 1);
            bundle.sequence = sequence;
            receive(instance, bundle.octets());
            auto *stored = std::get_if<bus::StoreBatch>(&said.at(0).message);
            ASSERT_NE(stored, nullptr);
            EXPECT_EQ(stored->batch->instance, instance);
            EXPECT_TRUE(numbers.insert(stored->batch->bundles[0].arrival).second);
            stored->batch->uniform = Outcome::kStored;
            cores[instance].handle(bus::BatchOutcome{std::move(stored->batch)}, now);
            collect(instance);
        }
        now += microseconds(3);
    }
}

TEST_F(Instances, WhatComesLaterIsYoungerWhicheverHasGotIt) {
    const auto arrival = [&](std::size_t instance, std::uint64_t sequence) {
        test::TestBundle bundle;
        bundle.to = bp::ipn_eid(2, 1);
        bundle.sequence = sequence;
        receive(instance, bundle.octets());
        auto &stored = std::get<bus::StoreBatch>(said.at(0).message);
        const std::uint64_t number = stored.batch->bundles[0].arrival;
        stored.batch->uniform = Outcome::kStored;
        cores[instance].handle(bus::BatchOutcome{std::move(stored.batch)}, now);
        return number;
    };
    const std::uint64_t begin = arrival(0, 1);
    (void)arrival(1, 2);
    for (std::uint64_t sequence = 10; sequence < 100; ++sequence) (void)arrival(0, sequence);
    now += seconds(1);
    const std::uint64_t later = arrival(1, 1000);
    EXPECT_GT(later, begin + 100 * 2);
}

TEST_F(Instances, TheFirstDeliversWhatTheOtherHasGot) {
    cores[1].handle_upstream_opened(kUp, true);
    const Bytes ping = to_echo(1);
    receive(1, ping);
    const auto *handed_over = only<bus::LocalDelivery>();
    ASSERT_NE(handed_over, nullptr);
    EXPECT_EQ(said.front().to, bus::AgentId::kIngress);
    EXPECT_EQ(handed_over->from, bus::AgentId::kIngress2);
    EXPECT_EQ(handed_over->bundle, ping);
    EXPECT_FALSE(cores[1].idle());
    EXPECT_FALSE(cores[1].poll_disposition()) << "it is not delivered yet";

    const bus::LocalDelivery message = *handed_over;
    cores[0].handle(message, now);
    collect(0);
    EXPECT_EQ(value(0, IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(0, IngressCounter::kOriginated), 1U) << "the echo";
    const bus::Outgoing answer = std::move(said.back());
    EXPECT_EQ(answer.to, bus::AgentId::kIngress2);

    cores[1].handle(std::get<bus::LocalDelivered>(answer.message), now);
    EXPECT_TRUE(cores[1].idle());
    const auto edited = cores[1].poll_disposition();
    ASSERT_TRUE(edited);
    EXPECT_EQ(edited->disposition, TransferDisposition::kSafe);
    acknowledge_as(0);
}

TEST_F(Instances, ARepeatByAnotherInstanceIsDeliveredOnce) {
    const Bytes ping = to_echo(1);
    receive(0, ping);
    acknowledge_as(0);
    receive(1, ping);
    const bus::LocalDelivery message = std::get<bus::LocalDelivery>(said.at(0).message);
    cores[0].handle(message, now);
    EXPECT_EQ(value(0, IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(0, IngressCounter::kDuplicatesDelivered), 1U);
}

TEST_F(Instances, AFirstInstanceThatHasDiedGetsAgainWhatItHasNotAnswered) {
    receive(1, to_echo(1));
    receive(1, to_echo(2));
    cores[1].handle(bus::ModuleLost{bus::AgentId::kIngress}, now);
    cores[1].handle(bus::ModuleBack{bus::AgentId::kIngress}, now);
    collect(1);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(std::get<bus::LocalDelivery>(said[0].message).number, 1U);
    EXPECT_EQ(std::get<bus::LocalDelivery>(said[1].message).number, 2U);
    cores[1].handle(bus::LocalDelivered{1}, now);
    cores[1].handle(bus::LocalDelivered{1}, now);
    cores[1].handle(bus::LocalDelivered{2}, now);
    EXPECT_TRUE(cores[1].idle());
}

TEST_F(Instances, WhatTheyMakeHasIdentitiesOfItsOwn) {
    std::set<std::uint64_t> identities;
    for (std::uint64_t sequence = 0; sequence < 4; ++sequence)
        for (std::size_t instance = 0; instance < 2; ++instance) {
            test::TestBundle reported;
            reported.to = bp::ipn_eid(2, 1);
            reported.sequence = 10 * sequence + instance;
            Bytes head = reported.octets();
            const ByteView octets = head;
            head.resize(bp::parse({&octets, 1})->head_end);
            cores[instance].handle(bus::ReportRequest{bus::ReportEvent::kDeleted, 1, head, 20},
                                   now);
            collect(instance);
            for (bus::Outgoing &out : said) {
                auto &stored = std::get<bus::StoreBatch>(out.message);
                for (const BatchedBundle &bundle : stored.batch->bundles)
                    EXPECT_TRUE(
                        identities.insert(bp::parse(stored.batch->slices_of(bundle))->identity())
                            .second);
            }
            EXPECT_EQ(said.size(), 1U);
            acknowledge_as(instance);
        }
    EXPECT_EQ(identities.size(), 8U);
}

}  // namespace
}  // namespace farlink::ingress
