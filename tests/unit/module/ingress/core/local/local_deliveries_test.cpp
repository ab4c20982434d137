// SPDX-License-Identifier: Apache-2.0
// Echo requests of the node itself: by which way they leave, and what counts as their answer.
#include <set>

#include "common/bp/parse.hpp"
#include "common/bp/status_reports.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::local_deliveries_test {
namespace {

using test::kStart;

class IngressPing : public IngressFixture {
protected:
    void ping(std::uint64_t id, const std::string &to, std::uint32_t bytes = 64,
              std::uint8_t version = 7) {
        bus::PingRequest request{.id = bus::RequestId{id},
                                 .destination = {},
                                 .payload_bytes = bytes,
                                 .lifetime = seconds(60),
                                 .version = version};
        request.destination.assign(to.begin(), to.end());
        core().handle(request, now);
        collect();
    }
    /// What a link has been given last.
    static Bytes sent(const std::deque<BatchPtr> &lent) {
        EXPECT_FALSE(lent.empty());
        return lent.empty() ? Bytes{} : content(*lent.back()).back();
    }
    static bp::BundleView view_of(const Bytes &octets) {
        const ByteView whole(octets);
        const auto view = bp::parse({&whole, 1});
        EXPECT_TRUE(view.has_value());
        return view.value_or(bp::BundleView{});
    }
    static Bytes payload_of(const Bytes &octets) {
        const bp::BundleView view = view_of(octets);
        const ByteView payload = ByteView(octets).subspan(view.payload_offset, view.payload_length);
        return {payload.begin(), payload.end()};
    }
    /// As the echo service of another node answers.
    Bytes echo_of(const Bytes &octets) {
        const ByteView whole(octets);
        const bp::BundleView view = view_of(octets);
        return bp::make_echo_reply(view, {&whole, 1}, kStart, ++echoes_, view.destination).value();
    }
    /// A bundle for the ping service with this payload.
    static Bytes answer_with(const Bytes &payload, std::uint64_t sequence = 1) {
        bp::v7::PrimaryFields primary;
        primary.destination = bp::ipn_eid(10, 2046);
        primary.source = bp::ipn_eid(20, 2047);
        primary.creation_time_ms = kStart;
        primary.sequence = sequence;
        primary.lifetime_ms = 60'000;
        return bp::v7::Builder(primary).finish(payload);
    }

private:
    std::uint64_t echoes_ = 0;
};

TEST_F(IngressPing, GoesOutByTheRouteAndTheAnswerIsTimed) {
    all_up();
    ping(5, "ipn:20.2047", 100);
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress.front()->link, kLinkA);
    const Bytes request = sent(at_egress);
    const bp::BundleView view = view_of(request);
    EXPECT_EQ(view.version, 7);
    EXPECT_EQ(view.source, bp::ipn_eid(10, 2046));
    EXPECT_EQ(view.destination, bp::ipn_eid(20, 2047));
    EXPECT_EQ(view.payload_length, 100U);
    EXPECT_EQ(view.lifetime_ms, 60'000U);
    EXPECT_EQ(value(IngressCounter::kOriginated), 1U);
    egress_answers(Outcome::kSent);
    EXPECT_TRUE(ping_replies.empty());
    now += milliseconds(42);
    receive({echo_of(request)});
    ASSERT_EQ(ping_replies.size(), 1U);
    EXPECT_EQ(ping_replies[0].id, bus::RequestId{5});
    EXPECT_TRUE(ping_replies[0].error.empty());
    EXPECT_EQ(ping_replies[0].taken, milliseconds(42));
    EXPECT_EQ(value(IngressCounter::kDelivered), 1U);
}

TEST_F(IngressPing, SpeaksVersion6Too) {
    all_up();
    ping(5, "ipn:20.2047", 100, 6);
    const Bytes request = sent(at_egress);
    EXPECT_EQ(view_of(request).version, 6);
    EXPECT_EQ(view_of(request).lifetime_ms, 60'000U);
    now += milliseconds(7);
    receive({echo_of(request)});
    ASSERT_EQ(ping_replies.size(), 1U);
    EXPECT_EQ(ping_replies[0].taken, milliseconds(7));
}

TEST_F(IngressPing, IsAnsweredByTheNodeItself) {
    ping(5, "ipn:10.2047");
    ASSERT_EQ(ping_replies.size(), 1U);
    EXPECT_TRUE(ping_replies[0].error.empty());
    EXPECT_EQ(value(IngressCounter::kOriginated), 2U);
    EXPECT_EQ(value(IngressCounter::kDelivered), 2U);
}

TEST_F(IngressPing, IsStoredWhileNoLinkLeadsThere) {
    route(20, kLinkA);
    ping(5, "ipn:20.2047");
    EXPECT_TRUE(at_egress.empty());
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(at_storage.front()->bundles.size(), 1U);
    EXPECT_TRUE(ping_replies.empty());
    const Bytes request = sent(at_storage);
    storage_answers(Outcome::kStored);
    now += seconds(20);
    receive({echo_of(request)});
    ASSERT_EQ(ping_replies.size(), 1U) << "also when it takes long";
    EXPECT_EQ(ping_replies[0].taken, seconds(20));
}

TEST_F(IngressPing, WhatAnswersNothingIsIgnored) {
    all_up();
    ping(5, "ipn:20.2047", 64);
    const Bytes payload = payload_of(sent(at_egress));
    receive({answer_with({}, 1), answer_with(Bytes(15, 0), 2), answer_with(Bytes(64, 7), 3)});
    Bytes shorter = payload;
    shorter.pop_back();
    Bytes other_run = payload;
    other_run[0] ^= 1;
    Bytes other_number = payload;
    other_number[15] ^= 8;
    Bytes damaged = payload;
    damaged.back() ^= 1;
    receive({answer_with(shorter, 4), answer_with(other_run, 5), answer_with(other_number, 6),
             answer_with(damaged, 7)});
    EXPECT_TRUE(ping_replies.empty());
    EXPECT_EQ(value(IngressCounter::kDelivered), 7U) << "the service is there all the same";
    receive({answer_with(payload, 8), answer_with(payload, 9)});
    EXPECT_EQ(ping_replies.size(), 1U) << "once";
}

TEST_F(IngressPing, SeveralAreOutAtATime) {
    all_up();
    for (std::uint64_t id = 1; id <= 3; ++id) ping(id, "ipn:20.2047", 16);
    std::vector<Bytes> answers;
    for (const BatchPtr &batch : at_egress)
        for (const Bytes &each : content(*batch)) answers.push_back(echo_of(each));
    ASSERT_EQ(answers.size(), 3U);
    std::ranges::reverse(answers);
    receive(answers);
    ASSERT_EQ(ping_replies.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ping_replies[i].id.value(), 3 - i);
}

TEST_F(IngressPing, WhatCannotBeSentIsSaid) {
    ping(5, "nonsense");
    ping(6, "ipn:20.2047", 64, 5);
    ASSERT_EQ(ping_replies.size(), 2U);
    EXPECT_EQ(ping_replies[0].id, bus::RequestId{5});
    EXPECT_FALSE(ping_replies[0].error.empty());
    EXPECT_EQ(ping_replies[1].id, bus::RequestId{6});
    EXPECT_FALSE(ping_replies[1].error.empty());
}

TEST_F(IngressPing, AnotherServiceWhereTheEchoHasItsNumber) {
    config.echo_service = 2046;
    all_up();
    ping(5, "ipn:20.2046");
    EXPECT_EQ(view_of(sent(at_egress)).source, bp::ipn_eid(10, 2045));
    ping(6, "ipn:10.2046");
    EXPECT_EQ(ping_replies.size(), 1U);
}

TEST(Pings, ForgetTheOldestWhenThereAreTooMany) {
    Pings pings(77);
    const TimePoint start = test::at_ms(0);
    const Bytes first =
        pings.begin({.id = bus::RequestId{1}, .destination = {}, .payload_bytes = 16}, start);
    Bytes second;
    for (std::size_t i = 0; i < Pings::kMost; ++i) {
        const Bytes made = pings.begin(
            {.id = bus::RequestId{2 + i}, .destination = {}, .payload_bytes = 16}, start);
        if (i == 0) second = made;
    }
    EXPECT_EQ(pings.open(), Pings::kMost);
    EXPECT_FALSE(pings.handle_answer(first, start));
    EXPECT_TRUE(pings.handle_answer(second, start));
}

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
    EXPECT_FALSE(cores[1].upstreams().poll_disposition()) << "it is not delivered yet";

    const bus::LocalDelivery message = *handed_over;
    cores[0].handle(message, now);
    collect(0);
    EXPECT_EQ(value(0, IngressCounter::kDelivered), 1U);
    EXPECT_EQ(value(0, IngressCounter::kOriginated), 1U) << "the echo";
    const bus::Outgoing answer = std::move(said.back());
    EXPECT_EQ(answer.to, bus::AgentId::kIngress2);

    cores[1].handle(std::get<bus::LocalDelivered>(answer.message), now);
    EXPECT_TRUE(cores[1].idle());
    const auto edited = cores[1].upstreams().poll_disposition();
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
}  // namespace farlink::ingress::local_deliveries_test
