// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/session/app_session.hpp"

#include <gtest/gtest.h>

#include "tests/support/aap2_messages.hpp"
#include "tests/support/app_session_host.hpp"

namespace farlink::applications::app_session_test {
namespace {

using test::adu_message;
using test::answer;
using test::config_message;

class AppSessionTest : public testing::Test {
protected:
    void join(bool receives, std::uint64_t window = 0) {
        (void)host.written();
        host.feed(config_message("ipn:10.200", receives, "s", window));
        expect_answer(ResponseStatus::kSuccess);
    }
    /// There is one answer to read.
    void expect_answer(ResponseStatus status, std::uint64_t count = 1) {
        const Bytes octets = host.written();
        ASSERT_FALSE(octets.empty());
        ASSERT_EQ(octets.size(), 1U + octets[0]);
        const auto found = decode_response(ByteView(octets).subspan(1));
        ASSERT_TRUE(found);
        EXPECT_EQ(found->status, status);
        EXPECT_EQ(found->count, count);
    }
    void give(std::uint64_t identity) {
        BundleAdu adu;
        adu.source = "ipn:20.1";
        adu.destination = "ipn:10.200";
        adu.payload_bytes = payload.size();
        const ByteView piece = payload;
        ASSERT_TRUE(session.can_take());
        session.give({{}, identity, payload.size()}, adu, {}, {&piece, 1}, host.now);
    }

    Bytes payload = test::octets_of(5000, 1);
    test::AppSessionHost host{test::at_ms(1000)};
    AppSession &session = host.session;
};

TEST_F(AppSessionTest, ItGreetsAndSaysWhichNodeItIs) {
    const Bytes octets = host.written();
    ASSERT_GT(octets.size(), 2U);
    EXPECT_EQ(octets[0], kAap2Greeting);
    EXPECT_EQ(octets.size(), 2U + octets[1]);
    EXPECT_NE(as_text(octets).find("ipn:10.0"), std::string_view::npos);
}

TEST_F(AppSessionTest, AnAduIsAnsweredWhenItIsSafe) {
    join(false);
    host.feed(adu_message("ipn:20.1", "hello"));
    ASSERT_EQ(host.bundles.size(), 1U);
    EXPECT_TRUE(host.written().empty());
    session.handle_disposition(0, 1, TransferDisposition::kSafe);
    expect_answer(ResponseStatus::kSuccess);
    host.feed(adu_message("ipn:20.1", "hello"));
    session.handle_disposition(1, 1, TransferDisposition::kNoResources);
    expect_answer(ResponseStatus::kError);
}

TEST_F(AppSessionTest, AnswersKeepTheOrderOfTheAdus) {
    join(false, 8);
    for (int i = 0; i < 3; ++i) host.feed(adu_message("ipn:20.1", "abc"));
    session.handle_disposition(1, 2, TransferDisposition::kSafe);
    EXPECT_TRUE(host.written().empty());
    session.handle_disposition(0, 1, TransferDisposition::kSafe);
    expect_answer(ResponseStatus::kSuccess, 3);
}

TEST_F(AppSessionTest, LyingLengthsAreRefused) {
    join(false);
    host.feed(adu_message("ipn:20.1", std::string(200'001, 'x')));
    expect_answer(ResponseStatus::kInvalidRequest);
    EXPECT_FALSE(session.ended()) << "the payload was skipped";
    host.feed(adu_message("ipn:20.1", "abc"));
    EXPECT_EQ(host.bundles.size(), 1U);
    host.feed(adu_message("ipn:20.1", "abc", 2'000'000'000'000));
    EXPECT_TRUE(session.ended()) << "nobody waits for so much";
}

TEST_F(AppSessionTest, NoMessageIsLong) {
    (void)host.written();
    host.feed(Bytes{0xff, 0xff, 0x7f});
    EXPECT_TRUE(session.ended());
}

TEST_F(AppSessionTest, TheFirstMessageMustBeTheConfiguration) {
    host.feed(adu_message("ipn:20.1", "abc"));
    EXPECT_TRUE(session.ended());
    EXPECT_TRUE(host.bundles.empty());
}

TEST_F(AppSessionTest, AReceiverAcceptsInOrder) {
    join(true, 2);
    give(7);
    give(8);
    EXPECT_FALSE(session.can_take()) << "it has two";
    const Bytes octets = host.written();
    EXPECT_TRUE(std::ranges::equal(ByteView(octets).last(payload.size()), payload));
    host.feed(answer(ResponseStatus::kSuccess));
    EXPECT_EQ(host.accepted, std::vector<std::uint64_t>{7});
    host.feed(answer(ResponseStatus::kSuccess));
    EXPECT_EQ(host.accepted, (std::vector<std::uint64_t>{7, 8}));
    EXPECT_TRUE(session.can_take());
}

TEST_F(AppSessionTest, AnAnswerBeforeItsMessageIsAnError) {
    join(true);
    give(7);
    host.feed(answer(ResponseStatus::kSuccess));
    EXPECT_TRUE(session.ended());
    EXPECT_TRUE(host.accepted.empty());
    EXPECT_EQ(session.queue().pending(), 0U) << "it refers to octets that go back";
    EXPECT_EQ(session.take_leases().size(), 1U);
}

TEST_F(AppSessionTest, AnAnswerToNothingIsAnError) {
    join(true);
    host.feed(answer(ResponseStatus::kSuccess));
    EXPECT_TRUE(session.ended());
}

TEST_F(AppSessionTest, AReceiverThatRefusesGetsNoMore) {
    join(true);
    give(7);
    (void)host.written();
    host.feed(answer(ResponseStatus::kError));
    EXPECT_TRUE(session.ended());
    EXPECT_EQ(session.take_leases().size(), 1U);
}

TEST_F(AppSessionTest, SilentPeersAreDisconnected) {
    EXPECT_EQ(session.next_timeout(), host.now + seconds(10));
    join(true);
    EXPECT_EQ(session.next_timeout(), kNever);
    give(7);
    EXPECT_EQ(session.next_timeout(), host.now + seconds(300));
    host.now += seconds(300);
    session.handle_timeout(host.now);
    EXPECT_TRUE(session.ended());
}

TEST_F(AppSessionTest, KeepAlivesAreAnswered) {
    join(false);
    Bytes keep_alive;
    Aap2Writer().keep_alive(keep_alive);
    host.feed(keep_alive);
    expect_answer(ResponseStatus::kAck);
}

TEST_F(AppSessionTest, NothingIsAnsweredBeforeTheConfiguration) {
    (void)host.written();
    Bytes keep_alive;
    Aap2Writer().keep_alive(keep_alive);
    host.feed(keep_alive);
    EXPECT_TRUE(session.ended());
    EXPECT_TRUE(host.written().empty());
}

TEST_F(AppSessionTest, MessagesMayBeCutAtAnyOctet) {
    (void)host.written();
    host.feed(config_message("ipn:10.200", false), 1);
    host.feed(adu_message("ipn:20.1", "abc"), 1);
    host.feed(adu_message("ipn:20.1", {}), 1);
    ASSERT_EQ(host.bundles.size(), 2U);
}

}  // namespace
}  // namespace farlink::applications::app_session_test
