// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/applications_core.hpp"

#include "common/base/endpoint_links.hpp"
#include "common/bp/parse.hpp"
#include "tests/unit/module/applications/core/app_fixture.hpp"

namespace farlink::applications::applications_core_test {
namespace {

using ApplicationsCoreTest = AppFixture;

bp::BundleView parse(const Batch &batch, std::size_t at) {
    const auto view = bp::parse(batch.slices_of(batch.bundles[at]));
    EXPECT_TRUE(view) << to_string(view.error());
    return view.value_or(bp::BundleView{});
}

TEST_F(ApplicationsCoreTest, AnAduBecomesABundleAndIsAnsweredWhenItIsSafe) {
    AppSession &sender = join("ipn:10.200", false);
    const auto opened = last<bus::UpstreamChange>(bus::AgentId::kIngress);
    ASSERT_TRUE(opened && opened->open && opened->acknowledges);
    EXPECT_TRUE(is_application(opened->upstream));
    feed(sender, adu_message("ipn:20.1", "hello"));
    ASSERT_EQ(arrived.size(), 1U);
    const bp::BundleView view = parse(*arrived[0], 0);
    EXPECT_EQ(bp::to_string(view.source), "ipn:10.200");
    EXPECT_EQ(bp::to_string(view.destination), "ipn:20.1");
    EXPECT_EQ(view.lifetime_ms, 3'600'000U);
    EXPECT_EQ(view.payload_length, 5U);
    EXPECT_EQ(arrived[0]->owner, BatchOwner::kApplications);
    EXPECT_FALSE(response(sender)) << "it is not safe yet";
    core.handle(bus::TransferDispositions{{{opened->upstream, 0, 1, TransferDisposition::kSafe}}},
                now);
    EXPECT_EQ(response(sender)->status, ResponseStatus::kSuccess);
}

TEST_F(ApplicationsCoreTest, MessagesMayBeCutAtAnyOctet) {
    const std::string large(100'000, 'x');
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{16'000}}) {
        SCOPED_TRACE(piece);
        AppSession &sender = connect();
        feed(sender, config_message("ipn:10.200", false), piece);
        EXPECT_EQ(response(sender)->status, ResponseStatus::kSuccess);
        feed(sender, adu_message("ipn:20.1", large), piece);
        feed(sender, adu_message("ipn:20.1", {}), piece);
        ASSERT_EQ(arrived.size(), 2U);
        EXPECT_EQ(parse(*arrived[0], 0).payload_length, large.size());
        EXPECT_EQ(parse(*arrived[1], 0).payload_length, 0U);
        for (BatchPtr &batch : arrived) core.handle(bus::BatchOutcome{std::move(batch)}, now);
        arrived.clear();
        close(sender);
    }
}

TEST_F(ApplicationsCoreTest, ManyAdusUnderWayAreAnsweredInTheirOrder) {
    AppSession &sender = join("ipn:10.200", false, 8);
    Bytes all;
    for (int i = 0; i < 3; ++i) append(all, adu_message("ipn:20.1", "abc"));
    append(all, adu_message("dtn:none", "refused"));
    append(all, adu_message("ipn:20.1", "last"));
    feed(sender, all);
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_EQ(arrived[0]->bundles.size(), 4U);
    const UpstreamId id = sender.id();
    core.handle(bus::TransferDispositions{{{id, 1, 3, TransferDisposition::kSafe}}}, now);
    EXPECT_FALSE(response(sender)) << "the first one has no answer yet";
    core.handle(bus::TransferDispositions{{{id, 0, 1, TransferDisposition::kSafe}}}, now);
    const Bytes octets = written(sender);
    const auto first = decode_response(ByteView(octets).subspan(1, octets[0]));
    ASSERT_TRUE(first);
    EXPECT_EQ(first->count, 3U) << "alike ones are one answer";
    const auto second =
        decode_response(ByteView(octets).subspan(2 + octets[0], octets[1 + octets[0]]));
    ASSERT_TRUE(second);
    EXPECT_EQ(second->status, ResponseStatus::kInvalidRequest);
}

TEST_F(ApplicationsCoreTest, AdusOfSeveralFlowsKeepTheirAddresses) {
    AppSession &one = join("ipn:10.200", false, 8);
    AppSession &other = join("ipn:10.201", false, 8);
    for (int turn = 0; turn < 2; ++turn) {
        feed(one, adu_message("ipn:20.1", "a"));
        feed(one, adu_message("ipn:0.0", "refused"));
        feed(one, adu_message("ipn:20.1", "b"));
        feed(other, adu_message("ipn:20.1", "c"));
        feed(other, adu_message("ipn:20.2", "d"));
    }
    std::vector<std::string> ways;
    for (const BatchPtr &batch : arrived) {
        const bp::BundleView view = parse(*batch, 0);
        ways.push_back(bp::to_string(view.source) + ' ' + bp::to_string(view.destination));
    }
    const std::vector<std::string> once{"ipn:10.200 ipn:20.1", "ipn:10.200 ipn:20.1",
                                        "ipn:10.201 ipn:20.1", "ipn:10.201 ipn:20.2"};
    std::vector<std::string> twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    EXPECT_EQ(ways, twice);
}

TEST_F(ApplicationsCoreTest, ALargeAduForAnotherNodeTravelsInPieces) {
    buffer.set_spool_above(200'000);
    AppSession &sender = join("ipn:10.200", false);
    const std::string large(900'000, 'x');
    feed(sender, adu_message("ipn:20.1", large));
    ASSERT_GT(arrived.size(), 4U);
    EXPECT_TRUE(arrived.front()->piece.first());
    EXPECT_FALSE(arrived.front()->piece.last());
    EXPECT_TRUE(arrived.back()->piece.last());
    std::uint64_t bytes = 0;
    for (const BatchPtr &batch : arrived) {
        EXPECT_TRUE(batch->piece.present());
        bytes += batch->bytes;
    }
    EXPECT_GT(bytes, large.size());
    core.handle(bus::TransferDispositions{{{sender.id(), 0, 1, TransferDisposition::kSafe}}}, now);
    EXPECT_EQ(response(sender)->status, ResponseStatus::kSuccess);
}

TEST_F(ApplicationsCoreTest, ALargeAduForThisNodeIsWhole) {
    buffer.set_spool_above(200'000);
    AppSession &sender = join("ipn:10.200", false);
    feed(sender, adu_message("ipn:10.142", std::string(900'000, 'x')));
    ASSERT_EQ(arrived.size(), 1U);
    EXPECT_FALSE(arrived.front()->piece.present());
}

class LargestAduTest : public AppFixture {
protected:
    LargestAduTest() : AppFixture(unlimited()) { buffer.set_spool_above(200'000); }
    static config::ApplicationsNode unlimited() {
        config::ApplicationsNode config = app_config();
        config.applications.largest_adu_bytes = 1'000'000'000'000;
        return config;
    }
};

TEST_F(LargestAduTest, OneForThisNodeNeedsNoMoreThanHalfOfTheMemory) {
    AppSession &sender = join("ipn:10.200", false);
    feed(sender, adu_message("ipn:10.142", {}, 300'000'000));
    EXPECT_EQ(response(sender)->status, ResponseStatus::kInvalidRequest);
    close(sender);
    AppSession &other = join("ipn:10.200", false);
    feed(other, adu_message("ipn:20.1", {}, 300'000'000));
    EXPECT_FALSE(response(other)) << "it may go to disk";
}

TEST_F(ApplicationsCoreTest, WhenIngressIsLostTheRestOfALargeAduIsRefused) {
    buffer.set_spool_above(200'000);
    AppSession &sender = join("ipn:10.200", false);
    Bytes message = adu_message("ipn:20.1", std::string(900'000, 'x'));
    feed(sender, ByteView(message).first(600'000));
    EXPECT_FALSE(arrived.empty());
    core.handle(bus::ModuleLost{bus::AgentId::kIngress}, now);
    core.handle(bus::ModuleBack{bus::AgentId::kIngress}, now);
    const std::size_t before = arrived.size();
    feed(sender, ByteView(message).subspan(600'000));
    EXPECT_EQ(response(sender)->status, ResponseStatus::kError);
    for (std::size_t at = before; at < arrived.size(); ++at)
        EXPECT_TRUE(arrived[at]->bundles.empty()) << "the pieces end";
}

TEST_F(ApplicationsCoreTest, WhatIngressRefusesIsRefusedWithAReason) {
    AppSession &sender = join("ipn:10.200", false);
    feed(sender, adu_message("ipn:20.1", "hello"));
    core.handle(bus::TransferDispositions{{{sender.id(), 0, 1, TransferDisposition::kNoResources}}},
                now);
    EXPECT_EQ(response(sender)->status, ResponseStatus::kError);
    EXPECT_EQ(count(ApplicationsCounter::kRefused), 1U);
}

TEST_F(ApplicationsCoreTest, AnEndpointIsUpWhileSomebodyReceivesThere) {
    AppSession &receiver = join("ipn:10.300", true);
    auto change = last<bus::EndpointsChange>(bus::AgentId::kStorage);
    ASSERT_TRUE(change);
    EXPECT_TRUE(change->endpoints.back().up);
    EXPECT_TRUE(is_endpoint_link(change->endpoints.back().link));
    EXPECT_EQ(as_text(change->endpoints.back().endpoint), "ipn:10.300");
    close(receiver);
    change = last<bus::EndpointsChange>(bus::AgentId::kIngress);
    ASSERT_TRUE(change);
    EXPECT_TRUE(change->endpoints.back().removed) << "it ends with its connection";
    AppSession &configured = join("ipn:10.142", true);
    close(configured);
    change = last<bus::EndpointsChange>(bus::AgentId::kIngress);
    EXPECT_FALSE(change->endpoints.back().removed) << "bundles wait for it";
    EXPECT_FALSE(change->endpoints.back().up);
}

TEST_F(ApplicationsCoreTest, ABundleIsSentWhenItsReceiverHasAcceptedIt) {
    AppSession &receiver = join("ipn:10.142", true);
    deliver("ipn:10.142", {bundle(1), bundle(2)});
    EXPECT_EQ(received(receiver), std::string(as_text(made(1).payload())));
    EXPECT_TRUE(returned.empty());
    feed(receiver, answer(ResponseStatus::kSuccess));
    EXPECT_FALSE(received(receiver).empty()) << "the second one";
    feed(receiver, answer(ResponseStatus::kSuccess));
    ASSERT_EQ(returned.size(), 1U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kSent);
    EXPECT_EQ(count(ApplicationsCounter::kDelivered), 2U);
    EXPECT_EQ(count(ApplicationsCounter::kQueued), 0U);
}

TEST_F(ApplicationsCoreTest, WhatWasNotAcceptedIsGivenAgainAndMarked) {
    AppSession &first = join("ipn:10.142", true);
    deliver("ipn:10.142", {bundle(1)});
    EXPECT_FALSE(received(first).empty());
    AppSession &second = join("ipn:10.142", true);
    close(first);
    const Bytes octets = written(second);
    const VarintRead length = read_varint(octets);
    ASSERT_GT(length.size, 0U);
    ProtobufReader outer(ByteView(octets).subspan(length.size, length.value));
    ProtobufReader adu(outer.next()->octets);
    bool repeated = false;
    while (const auto field = adu.next()) repeated = repeated || field->number == 1014;
    EXPECT_TRUE(repeated);
    feed(second, answer(ResponseStatus::kSuccess));
    ASSERT_EQ(returned.size(), 1U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kSent);
}

TEST_F(ApplicationsCoreTest, WithTheLastReceiverAllGoesBack) {
    AppSession &receiver = join("ipn:10.142", true);
    deliver("ipn:10.142", {bundle(1), bundle(2), bundle(3)});
    (void)received(receiver);
    feed(receiver, answer(ResponseStatus::kSuccess));
    (void)received(receiver);
    close(receiver);
    ASSERT_EQ(returned.size(), 1U);
    EXPECT_EQ(returned[0]->bundles[0].outcome, Outcome::kSent);
    EXPECT_EQ(returned[0]->bundles[1].outcome, Outcome::kNotSent);
    EXPECT_EQ(returned[0]->bundles[2].outcome, Outcome::kNotSent);
    deliver("ipn:10.142", {bundle(4)});
    ASSERT_EQ(returned.size(), 2U) << "nobody receives: at once";
    EXPECT_EQ(returned[1]->uniform, Outcome::kNotSent);
}

TEST_F(ApplicationsCoreTest, ABundleIsDeliveredOnce) {
    AppSession &receiver = join("ipn:10.142", true);
    deliver("ipn:10.142", {bundle(1)});
    (void)received(receiver);
    feed(receiver, answer(ResponseStatus::kSuccess));
    deliver("ipn:10.142", {bundle(1)});
    EXPECT_TRUE(received(receiver).empty());
    ASSERT_EQ(returned.size(), 2U);
    EXPECT_EQ(returned[1]->uniform, Outcome::kSent);
    EXPECT_EQ(count(ApplicationsCounter::kDuplicates), 1U);
}

TEST_F(ApplicationsCoreTest, ACopyWaitsForTheBundleThatAReceiverHas) {
    AppSession &first = join("ipn:10.142", true, 4);
    AppSession &second = join("ipn:10.142", true, 4);
    deliver("ipn:10.142", {bundle(1)});
    deliver("ipn:10.142", {bundle(1)}, BatchOwner::kIngress);
    AppSession &has = received(first).empty() ? second : first;
    EXPECT_TRUE(received(&has == &first ? second : first).empty());
    EXPECT_TRUE(returned.empty()) << "neither is safe";
    feed(has, answer(ResponseStatus::kSuccess));
    ASSERT_EQ(returned.size(), 2U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kSent);
    EXPECT_EQ(returned[1]->uniform, Outcome::kSent);
    EXPECT_EQ(count(ApplicationsCounter::kDelivered), 1U);
}

TEST_F(ApplicationsCoreTest, ACopyIsGivenBackWithTheBundle) {
    AppSession &receiver = join("ipn:10.142", true, 4);
    deliver("ipn:10.142", {bundle(1)});
    deliver("ipn:10.142", {bundle(1)}, BatchOwner::kIngress);
    EXPECT_FALSE(received(receiver).empty());
    close(receiver);
    ASSERT_EQ(returned.size(), 2U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kNotSent);
    EXPECT_EQ(returned[1]->uniform, Outcome::kNotSent);
}

TEST_F(ApplicationsCoreTest, WhatIsForAnotherEndpointGoesBack) {
    AppSession &receiver = join("ipn:10.142", true);
    deliver("ipn:10.142", {made(1, 143).octets()});
    EXPECT_TRUE(received(receiver).empty());
    ASSERT_EQ(returned.size(), 1U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kNotSent);
}

TEST_F(ApplicationsCoreTest, ReceiversShareTheWork) {
    AppSession &first = join("ipn:10.142", true);
    AppSession &second = join("ipn:10.142", true);
    deliver("ipn:10.142", {bundle(1), bundle(2), bundle(3)});
    EXPECT_FALSE(received(first).empty());
    EXPECT_FALSE(received(second).empty());
    feed(second, answer(ResponseStatus::kSuccess));
    EXPECT_FALSE(received(second).empty()) << "the third goes to the one that is done";
}

TEST_F(ApplicationsCoreTest, AnAnswerBeforeItsMessageEndsTheSession) {
    AppSession &receiver = join("ipn:10.142", true);
    deliver("ipn:10.142", {bundle(1)});
    feed(receiver, answer(ResponseStatus::kSuccess));
    EXPECT_TRUE(receiver.ended()) << "nothing of it was written";
    EXPECT_EQ(receiver.queue().pending(), 0U) << "it refers to octets that go back";
    close(receiver);
    ASSERT_EQ(returned.size(), 1U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kNotSent);
}

TEST_F(ApplicationsCoreTest, AnotherSecretIsRefused) {
    (void)join("ipn:10.300", true);
    AppSession &other = connect();
    feed(other, config_message("ipn:10.300", false, "guess"));
    EXPECT_EQ(response(other)->status, ResponseStatus::kUnauthorized);
    EXPECT_TRUE(other.ended());
    close(other);
}

TEST_F(ApplicationsCoreTest, OnlyWhatTheTableAllowsIsRegistered) {
    for (const char *endpoint : {"ipn:10.0", "ipn:10.2047", "ipn:10.99", "ipn:11.300", "dtn://a/b",
                                 "nonsense", "dtn:none"}) {
        AppSession &session = connect();
        feed(session, config_message(endpoint, true));
        EXPECT_NE(response(session)->status, ResponseStatus::kSuccess) << endpoint;
        close(session);
    }
    AppSession &stranger = *core.open({.loopback = true}, now);
    (void)written(stranger);
    feed(stranger, config_message("ipn:10.300", true));
    EXPECT_EQ(response(stranger)->status, ResponseStatus::kUnauthorized);
    close(stranger);
}

TEST_F(ApplicationsCoreTest, ConnectionsAndEndpointsAreLimited) {
    for (int i = 0; i < 8; ++i) (void)join("ipn:10." + std::to_string(200 + i), true);
    AppSession &session = connect();
    feed(session, config_message("ipn:10.400", true));
    EXPECT_EQ(response(session)->status, ResponseStatus::kError) << "half are for others";
    close(session);
    for (int i = 0; i < 24; ++i) (void)connect();
    EXPECT_EQ(core.open({.loopback = false, .user = 1, .groups = {}}, now), nullptr)
        << "one user has half of them";
    AppSession *other = core.open({.loopback = false, .user = 2, .groups = {}}, now);
    ASSERT_NE(other, nullptr);
    close(*other);
}

TEST_F(ApplicationsCoreTest, LyingLengthsAreRefused) {
    AppSession &sender = join("ipn:10.200", false);
    feed(sender, adu_message("ipn:20.1", "abc", 2'000'000'000'000));
    EXPECT_EQ(response(sender)->status, ResponseStatus::kInvalidRequest);
    EXPECT_TRUE(sender.ended());
    close(sender);
    AppSession &other = connect();
    feed(other, Bytes{0xff, 0xff, 0x7f});
    EXPECT_TRUE(other.ended()) << "no message is so long";
    close(other);
    AppSession &third = join("ipn:10.200", false);
    feed(third, adu_message("ipn:20.1", std::string(1'000'001, 'x')));
    EXPECT_EQ(response(third)->status, ResponseStatus::kInvalidRequest);
    EXPECT_FALSE(third.ended()) << "the payload was skipped";
    feed(third, adu_message("ipn:20.1", "abc"));
    EXPECT_EQ(arrived.size(), 1U);
}

/// The lifetime is an hour, and as long as it may be.
TEST_F(ApplicationsCoreTest, ATimeOfTheSenderDoesNotChangeTheLifetime) {
    AppSession &sender = join("ipn:10.200", false);
    const std::uint64_t today = test::kClock.dtn_ms;
    feed(sender, adu_message("ipn:20.1", "old", ~std::uint64_t{0}, today - 4'000'000));
    EXPECT_EQ(response(sender)->status, ResponseStatus::kInvalidRequest);
    EXPECT_TRUE(arrived.empty());
    feed(sender, adu_message("ipn:20.1", "good", ~std::uint64_t{0}, today - 1000));
    EXPECT_EQ(arrived.size(), 1U);
}

/// A client that does not read is not read; nothing of what it has sent is lost.
TEST_F(ApplicationsCoreTest, OctetsWaitForRoomForTheirAnswers) {
    AppSession &sender = join("ipn:10.200", false);
    constexpr int kMany = 4000;
    Bytes flood;
    for (int i = 0; i < kMany; ++i) append(flood, adu_message("dtn:none", {}));
    const MutableBytes space = sender.prepare(buffer);
    ASSERT_GE(space.size() + 60'000, flood.size());
    const std::size_t size = std::min(space.size(), flood.size());
    std::ranges::copy(ByteView(flood).first(size), space.begin());
    core.handle_bytes(sender, size, buffer, now);
    EXPECT_FALSE(sender.wants_read(now));
    EXPECT_LT(sender.queue().pending(), 200'000U);
    std::size_t answers = 0;
    for (int turn = 0; turn < 100 && !sender.ended(); ++turn) {
        answers += written(sender).size();
        if (sender.may_resume()) core.handle_bytes(sender, 0, buffer, now);
    }
    EXPECT_TRUE(sender.wants_read(now));
    EXPECT_GT(answers, 0U);
}

TEST_F(ApplicationsCoreTest, SlowPeersAreDisconnected) {
    AppSession &silent = connect();
    EXPECT_EQ(silent.next_timeout(), now + seconds(10));
    AppSession &receiver = join("ipn:10.142", true);
    deliver("ipn:10.142", {bundle(1)});
    (void)received(receiver);
    AppSession &half = join("ipn:10.200", false);
    feed(half, ByteView(adu_message("ipn:20.1", "abc")).first(8));
    now += seconds(61);
    core.handle_timeout(half, now);
    EXPECT_TRUE(half.ended());
    core.handle_timeout(receiver, now);
    EXPECT_FALSE(receiver.ended());
    now += seconds(300);
    core.handle_timeout(receiver, now);
    EXPECT_TRUE(receiver.ended());
    pump();
    ASSERT_EQ(returned.size(), 1U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kNotSent);
}

TEST_F(ApplicationsCoreTest, WhenIngressIsLostWhatHasNoAnswerIsRefused) {
    AppSession &sender = join("ipn:10.200", false);
    feed(sender, adu_message("ipn:20.1", "abc"));
    core.handle(bus::ModuleLost{bus::AgentId::kIngress}, now);
    EXPECT_EQ(response(sender)->status, ResponseStatus::kError);
    feed(sender, adu_message("ipn:20.1", "abc"));
    EXPECT_EQ(response(sender)->status, ResponseStatus::kError);
    forget_messages();
    core.handle(bus::ModuleBack{bus::AgentId::kIngress}, now);
    pump();
    const auto opened = last<bus::UpstreamChange>(bus::AgentId::kIngress);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->next_transfer, 1U);
    EXPECT_TRUE(last<bus::EndpointsChange>(bus::AgentId::kIngress));
}

TEST_F(ApplicationsCoreTest, AStoppingNodeReturnsWhatIsNotAccepted) {
    AppSession &receiver = join("ipn:10.142", true);
    AppSession &sender = join("ipn:10.200", false);
    deliver("ipn:10.142", {bundle(1)}, BatchOwner::kIngress);
    feed(sender, adu_message("ipn:20.1", "abc"));
    core.drain(now);
    pump();
    ASSERT_EQ(returned.size(), 1U);
    EXPECT_EQ(returned[0]->uniform, Outcome::kNotSent);
    EXPECT_TRUE(receiver.ended());
    EXPECT_FALSE(sender.wants_read(now));
    core.handle(bus::TransferDispositions{{{sender.id(), 0, 1, TransferDisposition::kSafe}}}, now);
    EXPECT_EQ(response(sender)->status, ResponseStatus::kSuccess);
}

TEST_F(ApplicationsCoreTest, ARestartedModuleKnowsAllEndpointsAfterATime) {
    EXPECT_EQ(core.next_timeout(), test::at_ms(0) + ApplicationsCore::kReconnectTime);
    now = test::at_ms(30'000);
    core.handle_timeout(now);
    pump();
    const auto change = last<bus::EndpointsChange>(bus::AgentId::kStorage);
    ASSERT_TRUE(change);
    EXPECT_TRUE(change->whole);
    EXPECT_EQ(change->endpoints.size(), 1U);
}

TEST_F(ApplicationsCoreTest, ADynamicEndpointStaysAsLongAsItWasAskedTo) {
    AppSession &session = connect();
    feed(session, config_message("ipn:10.300", true, "s", 0, 60));
    (void)response(session);
    close(session);
    EXPECT_NE(link_of("ipn:10.300"), kNoLink);
    now += seconds(61);
    core.handle_timeout(now);
    EXPECT_EQ(link_of("ipn:10.300"), kNoLink);
}

TEST_F(ApplicationsCoreTest, DeliveryIsReportedWhenItIsAccepted) {
    AppSession &receiver = join("ipn:10.142", true);
    test::TestBundle asking = made(1);
    asking.flags = bp::v7::kReportDeliveryFlag;
    const Bytes octets = asking.octets();
    deliver("ipn:10.142", {octets});
    (void)received(receiver);
    EXPECT_FALSE(last<bus::ReportRequest>(bus::AgentId::kIngress));
    feed(receiver, answer(ResponseStatus::kSuccess));
    const auto report = last<bus::ReportRequest>(bus::AgentId::kIngress);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->event, bus::ReportEvent::kDelivered);
}

TEST_F(ApplicationsCoreTest, KeepAlivesAreAnswered) {
    AppSession &sender = join("ipn:10.200", false);
    Bytes keep_alive;
    Aap2Writer().keep_alive(keep_alive);
    feed(sender, keep_alive);
    EXPECT_EQ(response(sender)->status, ResponseStatus::kAck);
}

}  // namespace
}  // namespace farlink::applications::applications_core_test
