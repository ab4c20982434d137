// SPDX-License-Identifier: Apache-2.0
// Filestore requests, messages to the user and Metadata without a file, over a path with loss.
#include <gtest/gtest.h>

#include "cfdp/core/entity.hpp"
#include "tests/support/cfdp_pair.hpp"

namespace farlink::cfdp::requests_test {
namespace {

using test::CfdpPair;
using Action = FilestoreRequest::Action;

Tlv request_of(Action action, std::string first, std::string second = {}) {
    return {Tlv::kFilestoreRequest, *encode_filestore_request({action, first, second})};
}

RemoteSettings allowing(std::initializer_list<Permission> permissions) {
    RemoteSettings settings;
    settings.ack_limit = settings.nak_limit = 60;
    for (const Permission each : permissions) settings.may.allow(each);
    return settings;
}

/// What is in memory is lost.
void restart(CfdpPair &pair, const TransactionId &id) {
    auto store = std::move(pair.b->store);
    const auto remotes = pair.b->entity.remotes();
    pair.b = std::make_unique<CfdpPair::End>(CfdpPair::kB);
    pair.b->store = std::move(store);
    pair.b->entity.set_remote(remotes.begin()->second);
    const auto saved = pair.b->store.states.find(id);
    if (saved == pair.b->store.states.end()) return;
    const auto state = decode_state(saved->second);
    ASSERT_TRUE(state);
    auto copy = pair.b->store.copies.contains(id) ? pair.b->store.reopen(id) : nullptr;
    auto receiver = pair.b->entity.load(*state, std::move(copy), pair.now);
    ASSERT_TRUE(receiver);
    pair.b->entity.restore(std::move(*receiver));
}

TEST(CfdpRequests, RunInTheirOrderOnceWhateverThePathDoes) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const bool acknowledged = random.chance(3, 4);
        const unsigned loss = acknowledged ? static_cast<unsigned>(random.below(31)) : 0;
        CfdpPair pair(seed,
                      {.loss_percent = loss,
                       .repeat_percent = 10,
                       .shortest = milliseconds(1),
                       .longest = milliseconds(1 + random.below(4000))},
                      allowing({Permission::kCreateFolder, Permission::kRename}));
        PutRequest request{.acknowledged = acknowledged, .closure = true};
        request.options = {request_of(Action::kCreateFolder, "a"),
                           {Tlv::kMessageToUser, {'h', 'i'}},
                           request_of(Action::kRename, "copy", "a/copy")};
        if (random.chance(1, 2)) {
            pair.put(random.below(3000), request);
        } else {
            request.destination = CfdpPair::kB;
            ASSERT_TRUE(pair.a->entity.put(request, 1));
        }
        ASSERT_TRUE(pair.run()) << "seed " << seed;
        ASSERT_EQ(pair.b->store.executed.size(), 2U) << "seed " << seed;
        EXPECT_EQ(pair.b->store.executed[0].action, Action::kCreateFolder);
        EXPECT_EQ(pair.b->store.executed[1].second_name, "a/copy");
        ASSERT_EQ(pair.a->ended.size(), 1U);
        const Outcome &outcome = *pair.a->ended[0].outcome;
        EXPECT_TRUE(outcome.ok()) << "seed " << seed;
        ASSERT_EQ(outcome.responses.size(), 2U) << "seed " << seed;
        EXPECT_EQ(outcome.responses[1].result, FilestoreResult::kDone);
        ASSERT_EQ(pair.b->ended.size(), 1U);
        EXPECT_EQ(pair.b->ended[0].messages, std::vector<Bytes>({{'h', 'i'}}));
    }
}

TEST(CfdpRequests, NothingRunsAfterOneThatHasFailed) {
    CfdpPair pair(1, {}, allowing({Permission::kDelete}));
    pair.b->store.result = FilestoreResult::kFirstMissing;
    PutRequest request{.destination = CfdpPair::kB};
    // What is not there needs no denial: that one has not failed.
    request.options = {request_of(Action::kDenyFile, "x"), request_of(Action::kDelete, "x"),
                       request_of(Action::kDelete, "y")};
    ASSERT_TRUE(pair.a->entity.put(request, 1));
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.b->store.executed.size(), 2U);
    const auto &responses = pair.a->ended.at(0).outcome->responses;
    ASSERT_EQ(responses.size(), 3U);
    EXPECT_EQ(responses[1].result, FilestoreResult::kFirstMissing);
    EXPECT_EQ(responses[2].result, FilestoreResult::kNotPerformed);
}

TEST(CfdpRequests, AFileThatDoesNotArriveRunsNothing) {
    CfdpPair pair(1, {}, allowing({Permission::kDelete}));
    pair.b->store.forbidden = {"copy"};
    pair.put(100, {.options = {request_of(Action::kDelete, "x")}});
    ASSERT_TRUE(pair.run());
    EXPECT_TRUE(pair.b->store.executed.empty());
    const Outcome &outcome = *pair.a->ended.at(0).outcome;
    EXPECT_EQ(outcome.condition, ConditionCode::kFilestoreRejection);
    ASSERT_EQ(outcome.responses.size(), 1U);
    EXPECT_EQ(outcome.responses[0].result, FilestoreResult::kNotPerformed);
}

TEST(CfdpRequests, AStateThatIsMarkedRunsNothingAgain) {
    for (const RequestStep step : {RequestStep::kBefore, RequestStep::kRunning}) {
        CfdpPair pair(1, {}, allowing({Permission::kDelete}));
        const TransactionId id = pair.put(100, {.options = {request_of(Action::kDelete, "x")}});
        // Nothing comes back, so that the receiver is not forgotten.
        pair.filter = [](Bytes &pdu) { return !decode_pdu(pdu)->header.towards_sender; };
        (void)pair.run(seconds(1));
        ASSERT_EQ(pair.b->store.executed.size(), 1U);
        auto state = *decode_state(pair.b->store.states.at(id));
        EXPECT_EQ(state.requests, RequestStep::kDone);
        EXPECT_EQ(state.name, "copy");
        state.requests = step;
        state.responses.clear();
        pair.b->store.states[id] = encode_state(state);
        pair.b->store.executed.clear();
        restart(pair, id);
        pair.filter = {};
        ASSERT_TRUE(pair.run());
        EXPECT_EQ(pair.b->store.executed.size(), step == RequestStep::kBefore ? 1U : 0U);
        const Outcome &outcome = *pair.a->ended.at(0).outcome;
        EXPECT_TRUE(outcome.ok());
        ASSERT_EQ(outcome.responses.size(), 1U);
        EXPECT_EQ(outcome.responses[0].result, step == RequestStep::kBefore
                                                   ? FilestoreResult::kDone
                                                   : FilestoreResult::kNotPerformed);
    }
}

struct Killed {};

/// One file with a request, over a path that reorders; the receiver is killed after its n-th write.
/// True when it wrote so often.
bool run_with_kill(CfdpPair &pair, unsigned n) {
    unsigned writes = 0;
    pair.b->store.written = [&] {
        if (++writes == n) throw Killed{};
    };
    const TransactionId id = pair.put(300, {.options = {request_of(Action::kDelete, "x")}});
    try {
        EXPECT_TRUE(pair.run());
        return false;
    } catch (const Killed &) {
        pair.b->store.written = {};
        restart(pair, id);
        EXPECT_TRUE(pair.run());
        return true;
    }
}

TEST(CfdpRequests, EveryMomentOfAKillLeavesARequestRunOnceAndAnswered) {
    unsigned kills = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        for (unsigned n = 1;; ++n) {
            RemoteSettings settings = allowing({Permission::kDelete});
            settings.segment_bytes = 100;
            CfdpPair pair(seed, {.shortest = milliseconds(1), .longest = seconds(2)}, settings);
            const bool killed = run_with_kill(pair, n);
            EXPECT_EQ(pair.b->store.files["copy"], pair.a->store.files["source"]);
            ASSERT_EQ(pair.a->ended.size(), 1U);
            const Outcome &outcome = *pair.a->ended[0].outcome;
            EXPECT_TRUE(outcome.ok()) << "seed " << seed << ", write " << n;
            ASSERT_EQ(outcome.responses.size(), 1U) << "seed " << seed << ", write " << n;
            const bool done = outcome.responses[0].result == FilestoreResult::kDone;
            EXPECT_LE(pair.b->store.executed.size(), 1U) << "seed " << seed << ", write " << n;
            EXPECT_LE(done ? 1U : 0U, pair.b->store.executed.size());
            if (!killed) break;
            ++kills;
        }
    }
    EXPECT_GE(kills, 200U);
}

TEST(CfdpRequests, ResponsesOutliveTheReceiver) {
    CfdpPair pair(1, {}, allowing({Permission::kDelete}));
    PutRequest request{.destination = CfdpPair::kB};
    request.options = {request_of(Action::kDelete, "x")};
    const TransactionId id = *pair.a->entity.put(request, 1);
    pair.filter = [](Bytes &pdu) { return !decode_pdu(pdu)->header.towards_sender; };
    (void)pair.run(seconds(1));
    pair.b->store.executed.clear();
    restart(pair, id);
    pair.filter = {};
    ASSERT_TRUE(pair.run());
    EXPECT_TRUE(pair.b->store.executed.empty());
    const auto &responses = pair.a->ended.at(0).outcome->responses;
    ASSERT_EQ(responses.size(), 1U);
    EXPECT_EQ(responses[0].result, FilestoreResult::kDone);
}

TEST(CfdpRequests, ADiskThatCannotSyncIsReported) {
    CfdpPair pair(1, {}, allowing({Permission::kDelete}));
    pair.b->store.broken = true;
    PutRequest request{.destination = CfdpPair::kB};
    request.options = {request_of(Action::kDelete, "x")};
    ASSERT_TRUE(pair.a->entity.put(request, 1));
    ASSERT_TRUE(pair.run());
    EXPECT_TRUE(pair.b->store.executed.empty());
    EXPECT_EQ(pair.a->ended.at(0).outcome->condition, ConditionCode::kFilestoreRejection);
}

TEST(CfdpRequests, WhatDoesNotFitIsRefused) {
    CfdpPair pair(1, {});
    PutRequest request{.destination = CfdpPair::kB};
    EXPECT_FALSE(pair.a->entity.put(request, 1));
    request.options = {{Tlv::kMessageToUser, Bytes(256)}};
    EXPECT_FALSE(pair.a->entity.put(request, 1));
    request.options.assign(300, {Tlv::kMessageToUser, Bytes(255)});
    EXPECT_FALSE(pair.a->entity.put(request, 1));
    request.options.resize(200);
    EXPECT_TRUE(pair.a->entity.put(request, 1));
    EXPECT_TRUE(pair.run());
    EXPECT_EQ(pair.b->ended.at(0).messages.size(), 200U);
    // Little is kept of what others have sent.
    EXPECT_LT(pair.b->entity.report({CfdpPair::kA, 1})->messages.size(), 20U);
}

TEST(CfdpRequests, MetadataAloneOfClass1HasNoEof) {
    for (const bool closure : {true, false}) {
        CfdpPair pair(1, {});
        PutRequest request{.destination = CfdpPair::kB, .acknowledged = false, .closure = closure};
        request.options = {{Tlv::kMessageToUser, {'x'}}};
        ASSERT_TRUE(pair.a->entity.put(request, 1));
        ASSERT_TRUE(pair.run());
        EXPECT_EQ(pair.pdus, closure ? 2U : 1U);
        EXPECT_TRUE(pair.a->ended.at(0).outcome->ok());
        EXPECT_TRUE(pair.b->ended.at(0).outcome->ok());
    }
}

}  // namespace
}  // namespace farlink::cfdp::requests_test
