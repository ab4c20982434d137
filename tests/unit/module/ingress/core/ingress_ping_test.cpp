// SPDX-License-Identifier: Apache-2.0
// Echo requests of the node itself: by which way they leave, and what counts as their answer.
#include "common/bp/admin.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress {
namespace {

using test::kStart;

class IngressPing : public IngressFixture {
protected:
    void ping(std::uint64_t id, const std::string &to, std::uint32_t bytes = 64,
              std::uint8_t version = 7) {
        bus::PingRequest request{.id = id,
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
    EXPECT_EQ(ping_replies[0].id, 5U);
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
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(ping_replies[i].id, 3 - i);
}

TEST_F(IngressPing, WhatCannotBeSentIsSaid) {
    ping(5, "nonsense");
    ping(6, "ipn:20.2047", 64, 5);
    ASSERT_EQ(ping_replies.size(), 2U);
    EXPECT_EQ(ping_replies[0].id, 5U);
    EXPECT_FALSE(ping_replies[0].error.empty());
    EXPECT_EQ(ping_replies[1].id, 6U);
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
    const Bytes first = pings.begin({.id = 1, .destination = {}, .payload_bytes = 16}, start);
    Bytes second;
    for (std::size_t i = 0; i < Pings::kMost; ++i) {
        const Bytes made =
            pings.begin({.id = 2 + i, .destination = {}, .payload_bytes = 16}, start);
        if (i == 0) second = made;
    }
    EXPECT_EQ(pings.open(), Pings::kMost);
    EXPECT_FALSE(pings.handle_answer(first, start));
    EXPECT_TRUE(pings.handle_answer(second, start));
}

}  // namespace
}  // namespace farlink::ingress
