// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/echo.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "common/bp/status_reports.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/block.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::bpsink::echo_test {
namespace {

using test::TestBundle;

/// A bundle with some fields that `set(TestBundle &)` changes.
template <class Set>
Bytes bundle_with(Set &&set) {
    TestBundle bundle;
    set(bundle);
    return bundle.octets();
}

const bp::Eid kLocal(2, 1);
constexpr DtnTime kNow = test::kStart + 500;

std::optional<Bytes> echo_by(Echo &echo, const Bytes &bundle, DtnTime now_ms = kNow) {
    const ByteView slice = bundle;
    return echo.handle_bundle({&slice, 1}, now_ms);
}

bp::BundleView parsed(const Bytes &bundle) {
    const ByteView slice = bundle;
    const auto view = bp::parse({&slice, 1});
    EXPECT_TRUE(view);
    return view ? *view : bp::BundleView{};
}

ByteView payload_of(const Bytes &bundle) {
    const bp::BundleView view = parsed(bundle);
    return ByteView(bundle).subspan(view.payload_offset, view.payload_length);
}

Bytes bundle_v6(const bp::EidView &from, std::uint64_t lifetime_s) {
    bp::v6::PrimaryFields primary;
    primary.destination = kLocal.view();
    primary.source = from;
    primary.creation_time_s = test::kStart / 1000;
    primary.sequence = 7;
    primary.lifetime_s = lifetime_s;
    bp::v6::Builder builder(primary);
    builder.add_block(bp::v6::kPayloadBlock, 0, Bytes{1, 2, 3});
    return std::move(builder).finish();
}

TEST(Echo, SendsThePayloadToTheSource) {
    Echo echo(kLocal, 40);
    TestBundle cause;
    cause.hop_limit = 30;
    cause.hops = 4;
    const auto answer = echo_by(echo, cause.octets());
    ASSERT_TRUE(answer);
    const bp::BundleView view = parsed(*answer);
    EXPECT_EQ(view.source, kLocal.view());
    EXPECT_EQ(view.destination, cause.from);
    EXPECT_EQ(view.creation_time, kNow);
    EXPECT_EQ(view.sequence, 41U);
    EXPECT_EQ(view.hop_limit, 29U) << "below that of the cause, whose hops are behind it";
    EXPECT_EQ(view.hop_count, 0U);
    EXPECT_EQ(view.lifetime_ms, cause.lifetime_ms);
    EXPECT_EQ(view.requests, 0U);
    EXPECT_TRUE(std::ranges::equal(payload_of(*answer), cause.payload()));
    EXPECT_EQ(echo.echoes(), 1U);
    // Each has an identity of its own.
    EXPECT_EQ(parsed(*echo_by(echo, cause.octets())).sequence, 42U);
}

TEST(Echo, WithoutAHopCountBlockHasTheUsualLimit) {
    Echo echo(kLocal, 0);
    EXPECT_EQ(parsed(*echo_by(echo, TestBundle{}.octets())).hop_limit, bp::kUsualHopLimit);
}

TEST(Echo, DoesNotAnswerWhatHasNoSource) {
    Echo echo(kLocal, 0);
    constexpr std::uint64_t kNoSourceFlags = 0x4;  // it must not be fragmented
    TestBundle anonymous;
    anonymous.from = anonymous.report_to = {};
    anonymous.flags = kNoSourceFlags;
    EXPECT_FALSE(echo_by(echo, anonymous.octets()));
    EXPECT_EQ(echo.unanswered(), 1U);
    EXPECT_FALSE(
        echo_by(echo, bundle_with([](TestBundle &bundle) { bundle.from = bp::ipn_eid(0, 4); })));
}

TEST(Echo, DoesNotAnswerRecordsItselfAndTheLastHop) {
    Echo echo(kLocal, 0);
    EXPECT_FALSE(echo_by(
        echo, bundle_with([](TestBundle &bundle) { bundle.flags = bp::v7::kIsAdminRecord; })));
    EXPECT_FALSE(
        echo_by(echo, bundle_with([](TestBundle &bundle) { bundle.from = kLocal.view(); })));
    EXPECT_FALSE(echo_by(echo, bundle_with([](TestBundle &bundle) { bundle.hop_limit = 1; })));
    EXPECT_EQ(echo.unanswered(), 3U);
    EXPECT_FALSE(
        echo_by(echo, bundle_with([](TestBundle &bundle) { bundle.to = bp::ipn_eid(2, 2); })))
        << "another endpoint";
    EXPECT_FALSE(echo_by(echo, Bytes{1, 2, 3})) << "no bundle";
    EXPECT_EQ(echo.unanswered(), 3U);
    EXPECT_EQ(echo.echoes(), 0U);
}

TEST(Echo, JoinsFragments) {
    Echo echo(kLocal, 0);
    const Bytes whole = test::octets_of(300, 9);
    std::optional<Bytes> answer;
    for (const std::size_t at : {std::size_t{200}, std::size_t{0}, std::size_t{100}}) {
        EXPECT_FALSE(answer);
        bp::v7::PrimaryFields primary;
        primary.flags = bp::v7::kIsFragment;
        primary.destination = kLocal.view();
        primary.source = bp::ipn_eid(1, 1);
        primary.creation_time_ms = test::kStart;
        primary.lifetime_ms = 60'000;
        primary.fragment_offset = at;
        primary.total_adu_length = whole.size();
        bp::v7::Builder builder(primary);
        answer = echo_by(echo, std::move(builder).finish(ByteView(whole).subspan(at, 100)));
    }
    ASSERT_TRUE(answer);
    EXPECT_FALSE(parsed(*answer).is_fragment);
    EXPECT_TRUE(std::ranges::equal(payload_of(*answer), whole));
}

TEST(Echo, TwoOfThemDoNotAnswerEachOtherForEver) {
    const bp::Eid other(1, 1);
    for (const Bytes &first : {bundle_with([](TestBundle &bundle) { bundle.hop_limit = 20; }),
                               bundle_v6(bp::ipn_eid(1, 1), 30)}) {
        Echo here(kLocal, 0);
        Echo there(other, 0);
        std::optional<Bytes> bundle = first;
        DtnTime now_ms = kNow;
        std::size_t echoes = 0;
        for (; bundle && echoes < 1000; ++echoes) {
            bundle = echo_by(echoes % 2 == 0 ? here : there, *bundle, now_ms);
            now_ms += 700;
        }
        EXPECT_FALSE(bundle);
        EXPECT_GT(echoes, 15U);
        EXPECT_LT(echoes, 100U);
    }
}

TEST(Echo, InBpv6ExpiresWithItsCause) {
    Echo echo(kLocal, 0);
    const auto answer = echo_by(echo, bundle_v6(bp::ipn_eid(1, 1), 30), test::kStart + 10'500);
    ASSERT_TRUE(answer);
    const bp::BundleView view = parsed(*answer);
    EXPECT_EQ(view.version, bp::v6::kVersion);
    EXPECT_EQ(view.creation_time, test::kStart / 1000 + 10);
    EXPECT_EQ(view.lifetime_ms, 19'000U);
    EXPECT_FALSE(echo_by(echo, bundle_v6(bp::ipn_eid(1, 1), 30), test::kStart + 31'000));
}

}  // namespace
}  // namespace farlink::bpsink::echo_test
