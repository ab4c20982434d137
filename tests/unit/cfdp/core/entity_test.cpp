// SPDX-License-Identifier: Apache-2.0
// Two entities over a path that loses, repeats and reorders. FARLINK_CFDP_SEEDS: how many runs.
#include "cfdp/core/entity.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "cfdp/core/pdu/options.hpp"
#include "tests/support/cfdp_pair.hpp"

namespace farlink::cfdp::entity_test {
namespace {

using test::CfdpPair;
using test::PathFaults;

constexpr Algorithm kAlgorithms[] = {Algorithm::kModular, Algorithm::kProximity1,
                                     Algorithm::kCrc32c, Algorithm::kCrc32, Algorithm::kNull};

std::uint64_t seeds() {
    const char *given = std::getenv("FARLINK_CFDP_SEEDS");
    return given == nullptr ? 300 : std::strtoull(given, nullptr, 10);
}

PathFaults faults_of(Random &random) {
    return {.loss_percent = static_cast<unsigned>(random.below(31)),
            .repeat_percent = static_cast<unsigned>(random.below(21)),
            .shortest = milliseconds(1),
            .longest = milliseconds(1 + random.below(4000))};
}

RemoteSettings settings_of(Random &random) {
    RemoteSettings settings;
    settings.crc = random.chance(1, 2);
    settings.segment_bytes = 1 + random.below(200);
    settings.pdu_bytes = 40 + random.below(100);
    settings.nak_mode = random.chance(1, 2) ? NakMode::kImmediate : NakMode::kDeferred;
    settings.ack_limit = settings.nak_limit = 60;
    settings.inactivity_timeout = seconds(3000);
    if (random.chance(1, 3)) settings.keep_alive_interval = seconds(5);
    return settings;
}

TEST(CfdpEntity, Class2DeliversEveryFileOnceWhateverThePathDoes) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        Random random(seed);
        CfdpPair pair(seed, faults_of(random), settings_of(random));
        pair.put(random.below(6000), {.checksum = kAlgorithms[random.below(5)]});
        ASSERT_TRUE(pair.run()) << "seed " << seed;
        EXPECT_EQ(pair.b->store.delivered, 1U) << "seed " << seed;
        EXPECT_EQ(pair.b->store.files["copy"], pair.a->store.files["source"]) << "seed " << seed;
        EXPECT_TRUE(pair.b->store.copies.empty());
        ASSERT_EQ(pair.a->ended.size(), 1U);
        ASSERT_EQ(pair.b->ended.size(), 1U);
        EXPECT_TRUE(pair.a->ended[0].outcome->ok()) << "seed " << seed;
        EXPECT_TRUE(pair.b->ended[0].outcome->ok()) << "seed " << seed;
    }
}

TEST(CfdpEntity, Class1DeliversTheFileOrNothing) {
    std::uint64_t delivered = 0;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        Random random(seed);
        PathFaults faults = faults_of(random);
        faults.loss_percent = random.chance(1, 2) ? 0 : faults.loss_percent;
        CfdpPair pair(seed, faults, settings_of(random));
        const bool closure = random.chance(1, 2);
        pair.put(
            random.below(3000),
            {.acknowledged = false, .closure = closure, .checksum = kAlgorithms[random.below(4)]});
        ASSERT_TRUE(pair.run()) << "seed " << seed;
        EXPECT_TRUE(pair.b->store.copies.empty()) << "seed " << seed;
        delivered += pair.b->store.delivered;
        if (pair.b->store.delivered != 0) {
            EXPECT_EQ(pair.b->store.files["copy"], pair.a->store.files["source"]);
        }
        if (faults.loss_percent == 0) {
            EXPECT_EQ(pair.b->store.delivered, 1U) << "seed " << seed;
            ASSERT_FALSE(pair.a->ended.empty());
            EXPECT_TRUE(pair.a->ended[0].outcome->ok()) << "seed " << seed;
            if (closure) {
                EXPECT_EQ(pair.a->ended[0].outcome->status, FileStatus::kRetained);
            }
        }
    }
    EXPECT_GT(delivered, seeds() / 3);
}

TEST(CfdpEntity, AReceiverIsRestoredFromItsState) {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        Random random(seed);
        CfdpPair pair(seed, faults_of(random), settings_of(random));
        const TransactionId id = pair.put(1000 + random.below(6000), {});
        (void)pair.run(milliseconds(random.below(30'000)));
        // What is in memory is lost.
        auto store = std::move(pair.b->store);
        const auto remotes = pair.b->entity.remotes();
        pair.b = std::make_unique<CfdpPair::End>(CfdpPair::kB);
        pair.b->store = std::move(store);
        pair.b->entity.set_remote(remotes.begin()->second);
        const auto saved = pair.b->store.states.find(id);
        const unsigned delivered = pair.b->store.delivered;
        if (saved == pair.b->store.states.end() || delivered != 0) continue;
        const auto state = decode_state(saved->second);
        ASSERT_TRUE(state);
        auto receiver = pair.b->entity.load(*state, pair.b->store.reopen(id), pair.now);
        ASSERT_TRUE(receiver);
        pair.b->entity.restore(std::move(*receiver));
        ASSERT_TRUE(pair.run()) << "seed " << seed;
        EXPECT_EQ(pair.b->store.files["copy"], pair.a->store.files["source"]) << "seed " << seed;
        EXPECT_TRUE(pair.a->ended.at(0).outcome->ok()) << "seed " << seed;
    }
}

TEST(CfdpEntity, EveryDamagedStateIsRefusedOrLoaded) {
    CfdpPair pair(1, {.loss_percent = 40});
    const TransactionId id = pair.put(20'000, {});
    (void)pair.run(seconds(8));
    const Bytes state = pair.b->store.states[id];
    ASSERT_TRUE(decode_state(state));
    for (std::size_t size = 0; size < state.size(); ++size)
        EXPECT_FALSE(decode_state(ByteView(state).first(size)));
}

TEST(CfdpEntity, SuspendedNothingIsSentUntilItIsResumed) {
    CfdpPair pair(1, {});
    const TransactionId id = pair.put(10'000, {});
    ASSERT_TRUE(pair.a->entity.suspend(id, pair.now));
    EXPECT_FALSE(pair.run(seconds(5000)));
    EXPECT_EQ(pair.pdus, 0U);
    EXPECT_TRUE(pair.a->entity.report(id)->suspended);
    ASSERT_TRUE(pair.a->entity.resume(id, pair.now));
    EXPECT_TRUE(pair.run());
    EXPECT_EQ(pair.b->store.delivered, 1U);
}

TEST(CfdpEntity, ASuspendedReceiverAsksForNothingUntilItIsResumed) {
    CfdpPair pair(1, {});
    pair.filter = [](Bytes &pdu) {
        const auto read = decode_pdu(pdu);
        const auto *data = std::get_if<FileData>(&read->body);
        return data == nullptr || data->offset != 1024;
    };
    const TransactionId id = pair.put(5000, {});
    // All has come but one segment, and it was asked for once.
    (void)pair.run(milliseconds(30));
    ASSERT_TRUE(pair.b->entity.suspend(id, pair.now));
    const std::uint64_t before = pair.pdus;
    EXPECT_FALSE(pair.run(seconds(200)));
    EXPECT_EQ(pair.pdus, before);
    pair.filter = {};
    ASSERT_TRUE(pair.b->entity.resume(id, pair.now));
    EXPECT_TRUE(pair.run());
    EXPECT_EQ(pair.b->store.delivered, 1U);
}

TEST(CfdpEntity, EitherEndCancels) {
    for (const bool at_sender : {true, false}) {
        CfdpPair pair(7, {});
        const TransactionId id = pair.put(50'000, {});
        pair.filter = [&, left = 20](Bytes &) mutable { return left-- > 0; };
        (void)pair.run(milliseconds(50));
        pair.filter = {};
        auto &end = at_sender ? pair.a : pair.b;
        ASSERT_TRUE(end->entity.cancel(id, pair.now));
        ASSERT_TRUE(pair.run());
        EXPECT_EQ(pair.a->ended.at(0).outcome->condition, ConditionCode::kCancelRequested);
        EXPECT_EQ(pair.b->ended.at(0).outcome->condition, ConditionCode::kCancelRequested);
        EXPECT_EQ(pair.b->store.delivered, 0U);
        EXPECT_TRUE(pair.b->store.copies.empty());
    }
}

TEST(CfdpEntity, WithoutAnAnswerTheSenderStopsAtItsLimit) {
    CfdpPair pair(1, {});
    pair.cut = true;
    pair.put(3000, {});
    ASSERT_TRUE(pair.run());
    const Outcome &outcome = *pair.a->ended.at(0).outcome;
    EXPECT_EQ(outcome.condition, ConditionCode::kPositiveAckLimit);
    EXPECT_TRUE(outcome.abandoned);
    // Metadata, 3 segments, EOF and 5 repeats of it, and as many of the cancelling EOF.
    EXPECT_EQ(pair.pdus, 4U + 6U + 6U);
}

TEST(CfdpEntity, WithoutTheRestTheReceiverStopsAtItsLimits) {
    struct Case {
        bool acknowledged;
        bool eof;
        ConditionCode expected;
    };
    for (const Case &each :
         {Case{true, true, ConditionCode::kNakLimit}, Case{true, false, ConditionCode::kInactivity},
          Case{false, true, ConditionCode::kCheckLimit},
          Case{false, false, ConditionCode::kInactivity}}) {
        CfdpPair pair(1, {});
        pair.filter = [&](Bytes &pdu) {
            const auto read = decode_pdu(pdu);
            const auto *data = std::get_if<FileData>(&read->body);
            if (std::holds_alternative<Eof>(read->body)) return each.eof;
            return data == nullptr || data->offset != 1024;
        };
        pair.put(5000, {.acknowledged = each.acknowledged});
        (void)pair.run();
        EXPECT_EQ(pair.b->ended.at(0).outcome->condition, each.expected);
        EXPECT_EQ(pair.b->store.delivered, 0U);
        EXPECT_TRUE(pair.b->store.copies.empty());
    }
}

TEST(CfdpEntity, FaultHandlersSuspendIgnoreAndAbandon) {
    for (const FaultHandler handler :
         {FaultHandler::kSuspend, FaultHandler::kIgnore, FaultHandler::kAbandon}) {
        RemoteSettings settings;
        settings.handlers[static_cast<std::size_t>(ConditionCode::kChecksumFailure)] = handler;
        CfdpPair pair(1, {}, settings);
        pair.filter = [](Bytes &pdu) {
            const auto read = decode_pdu(pdu);
            const auto *eof = std::get_if<Eof>(&read->body);
            if (eof != nullptr && eof->condition == ConditionCode::kNoError) pdu[10] ^= 1;
            return true;
        };
        const TransactionId id = pair.put(5000, {});
        (void)pair.run(seconds(20));
        const auto report = pair.b->entity.report(id);
        ASSERT_TRUE(report);
        if (handler == FaultHandler::kSuspend) {
            EXPECT_TRUE(report->suspended);
        } else if (handler == FaultHandler::kIgnore) {
            EXPECT_EQ(pair.b->store.delivered, 1U);
        } else {
            EXPECT_TRUE(report->outcome && report->outcome->abandoned);
        }
        if (handler != FaultHandler::kIgnore) {
            EXPECT_EQ(pair.b->store.delivered, 0U);
        }
    }
}

TEST(CfdpEntity, AWrongChecksumEndsWithThatCondition) {
    for (const bool acknowledged : {true, false}) {
        CfdpPair pair(1, {});
        pair.filter = [](Bytes &pdu) {
            const auto read = decode_pdu(pdu);
            if (std::holds_alternative<FileData>(read->body)) pdu.back() ^= 0x10;
            return true;
        };
        pair.put(5000, {.acknowledged = acknowledged, .closure = true});
        ASSERT_TRUE(pair.run());
        EXPECT_EQ(pair.a->ended.at(0).outcome->condition, ConditionCode::kChecksumFailure);
        EXPECT_EQ(pair.b->store.delivered, 0U);
    }
}

struct ByHand {
    /// Each of the two others has a share of three files.
    ByHand() : entity({.local = 2, .most_receiving = 5}, store) {
        entity.set_remote({.entity = 1});
        entity.set_remote({.entity = 3, .may_put = false});
    }
    void give(const PduBody &body, std::uint64_t sequence = 1, EntityId from = 1) {
        entity.handle_pdu(encode_pdu({.id = {from, sequence}, .destination = 2}, body), from, now);
    }
    std::vector<Pdu> answers(EntityId to = 1) {
        std::vector<Pdu> pdus;
        while (auto octets = entity.poll_pdu(to, now)) {
            kept.push_back(*octets);
            pdus.push_back(*decode_pdu(kept.back()));
        }
        return pdus;
    }
    template <class Body>
    std::optional<Body> answer(EntityId to = 1) {
        std::optional<Body> found;
        for (const Pdu &pdu : answers(to))
            if (const auto *body = std::get_if<Body>(&pdu.body)) found = *body;
        return found;
    }
    static Metadata metadata(std::uint64_t size, std::string name = "copy") {
        return {.checksum_type = 3,
                .file_size = size,
                .source_name = "source",
                .destination_name = std::move(name)};
    }

    test::MemoryFilestore store;
    Entity entity;
    TimePoint now{};
    std::deque<Bytes> kept;
};

TEST(CfdpEntity, OctetsBeyondTheEndAreASizeError) {
    const Bytes data(10);
    for (const int which : {0, 1, 2}) {
        ByHand end;
        if (which == 0) {
            end.give(end.metadata(15));
            end.give(FileData{.offset = 6, .data = data});
        } else if (which == 1) {
            end.give(FileData{.offset = 6, .data = data});
            end.give(Eof{.file_size = 15});
        } else {
            end.give(end.metadata(15));
            end.give(Eof{.file_size = 16});
        }
        const auto finished = end.answer<Finished>();
        ASSERT_TRUE(finished) << which;
        EXPECT_EQ(finished->condition, ConditionCode::kSizeError) << which;
        EXPECT_EQ(finished->fault_location, EntityId{2});
        EXPECT_TRUE(end.store.copies.empty());
    }
}

TEST(CfdpEntity, WithoutRoomOrPermissionTheFilestoreRejectsIt) {
    const Bytes data(10);
    ByHand full;
    full.store.room = 5;
    full.give(full.metadata(10));
    full.give(FileData{.data = data});
    auto finished = full.answer<Finished>();
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->condition, ConditionCode::kFilestoreRejection);
    EXPECT_EQ(finished->status, FileStatus::kRejected);
    EXPECT_TRUE(full.store.copies.empty());

    ByHand forbidden;
    forbidden.store.forbidden = {"../x"};
    forbidden.give(forbidden.metadata(10, "../x"));
    finished = forbidden.answer<Finished>();
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->condition, ConditionCode::kFilestoreRejection);

    ByHand may_not;
    may_not.give(may_not.metadata(10), 1, 3);
    finished = may_not.answer<Finished>(3);
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->condition, ConditionCode::kFilestoreRejection);
}

TEST(CfdpEntity, AnUnsupportedChecksumTypeIsAFault) {
    ByHand end;
    Metadata metadata = end.metadata(0);
    metadata.checksum_type = 7;
    end.give(metadata);
    EXPECT_EQ(end.answer<Finished>()->condition, ConditionCode::kUnsupportedChecksum);
}

TEST(CfdpEntity, WithoutPermissionARequestIsRefused) {
    ByHand end;
    Metadata metadata = end.metadata(0);
    metadata.options = {{Tlv::kFilestoreRequest,
                         *encode_filestore_request({FilestoreRequest::Action::kDelete, "x", ""})}};
    end.give(metadata);
    end.give(Eof{});
    const auto finished = end.answer<Finished>();
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->condition, ConditionCode::kNoError);
    ASSERT_EQ(finished->filestore_responses.size(), 1U);
    EXPECT_EQ(finished->filestore_responses[0], (Bytes{0x12, 1, 'x', 0}));
    EXPECT_EQ(end.store.delivered, 1U);
    EXPECT_TRUE(end.store.executed.empty());
}

TEST(CfdpEntity, RequestsThatFillMetadataAreAnsweredInOneFinished) {
    using Action = FilestoreRequest::Action;
    for (const std::size_t count : {100, 101}) {
        ByHand end;
        Metadata metadata = end.metadata(0);
        const FilestoreRequest request{Action::kDelete, std::string(253, 'x'), ""};
        for (std::size_t i = 0; i < count; ++i)
            metadata.options.push_back(
                {Tlv::kFilestoreRequest, *encode_filestore_request(request)});
        end.give(metadata);
        end.give(Eof{});
        const auto finished = end.answer<Finished>();
        ASSERT_TRUE(finished);
        EXPECT_EQ(finished->condition,
                  count == 100 ? ConditionCode::kNoError : ConditionCode::kInvalidFileStructure);
    }
}

TEST(CfdpEntity, WhatIsConfirmedIsSyncedInGroups) {
    ByHand end;
    for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
        end.give(end.metadata(0), sequence);
        end.give(Eof{}, sequence);
    }
    EXPECT_EQ(end.store.syncs, 0U);
    EXPECT_EQ(end.store.delivered, 0U);
    EXPECT_EQ(end.answers().size(), 6U);
    EXPECT_EQ(end.store.delivered, 3U);
    // Octets, states and names.
    EXPECT_EQ(end.store.syncs, 3U);
}

TEST(CfdpEntity, ADiskThatCannotSyncRejectsTheFile) {
    ByHand end;
    end.store.broken = true;
    end.give(end.metadata(0));
    end.give(Eof{});
    const auto finished = end.answer<Finished>();
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->condition, ConditionCode::kFilestoreRejection);
    EXPECT_EQ(end.store.delivered, 0U);
    EXPECT_TRUE(end.store.copies.empty());
}

TEST(CfdpEntity, AnotherModeIsAFault) {
    ByHand end;
    end.give(end.metadata(5));
    end.entity.handle_pdu(
        encode_pdu({.unacknowledged = true, .id = {1, 1}, .destination = 2}, Eof{}), 1, end.now);
    EXPECT_EQ(end.answer<Finished>()->condition, ConditionCode::kInvalidMode);
}

TEST(CfdpEntity, AFloodOfTransactionsIsBounded) {
    ByHand end;
    for (std::uint64_t sequence = 0; sequence < 200; ++sequence)
        end.give(end.metadata(5), sequence);
    EXPECT_EQ(end.entity.active(), 3U);
    EXPECT_EQ(end.entity.counters().too_many, 197U);
}

TEST(CfdpEntity, StrangersAndOtherDestinationsAreCounted) {
    ByHand end;
    end.give(end.metadata(5), 1, 99);
    end.entity.handle_pdu(encode_pdu({.id = {1, 1}, .destination = 9}, Eof{}), 1, end.now);
    end.entity.handle_pdu(Bytes{1, 2, 3}, 1, end.now);
    // One entity in the name of another.
    end.entity.handle_pdu(encode_pdu({.id = {1, 1}, .destination = 2}, Eof{}), 3, end.now);
    EXPECT_EQ(end.entity.counters().not_ours, 3U);
    EXPECT_EQ(end.entity.counters().malformed[static_cast<std::size_t>(PduError::kTruncated)], 1U);
    EXPECT_EQ(end.entity.active(), 0U);
}

TEST(CfdpEntity, LatePdusOfAnEndedTransactionGetItsEndAgain) {
    ByHand end;
    end.give(end.metadata(0));
    end.give(Eof{});
    ASSERT_TRUE(end.answer<Finished>());
    end.give(Ack{Directive::kFinished, {}, TransactionStatus::kTerminated});
    EXPECT_EQ(end.entity.active(), 0U);
    const Bytes data(3);
    end.give(FileData{.data = data});
    end.give(end.metadata(0));
    EXPECT_TRUE(end.answers().empty());
    end.give(Eof{});
    const auto answers = end.answers();
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(std::get<Ack>(answers[0].body).status, TransactionStatus::kTerminated);
    EXPECT_EQ(std::get<Finished>(answers[1].body).status, FileStatus::kRetained);
    EXPECT_EQ(end.store.delivered, 1U);
}

TEST(CfdpEntity, APromptIsAnswered) {
    ByHand end;
    const Bytes data(10);
    end.give(end.metadata(100));
    end.give(FileData{.offset = 20, .data = data});
    end.give(Prompt{});
    EXPECT_EQ(end.answer<Nak>(), (Nak{0, 30, {{0, 20}}}));
    end.give(Prompt{.keep_alive = true});
    EXPECT_EQ(end.answer<KeepAlive>(), KeepAlive{30});
}

TEST(CfdpEntity, ImmediateNaksNameTheGapAndTheMetadata) {
    ByHand end;
    RemoteSettings settings{.entity = 1};
    settings.nak_mode = NakMode::kImmediate;
    end.entity.set_remote(settings);
    const Bytes data(10);
    end.give(FileData{.data = data});
    EXPECT_EQ(end.answer<Nak>()->requests, (std::vector<SegmentRequest>{{0, 0}}));
    end.give(FileData{.offset = 30, .data = data});
    EXPECT_EQ(end.answer<Nak>()->requests, (std::vector<SegmentRequest>{{0, 0}, {10, 30}}));
}

TEST(CfdpEntity, AnyOctetsLeaveTheEntityInOrder) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        CfdpPair pair(seed, {.loss_percent = 10, .repeat_percent = 10});
        pair.filter = [&](Bytes &pdu) {
            if (random.chance(1, 10)) pdu[random.below(pdu.size())] ^= 1 << random.below(8);
            return true;
        };
        pair.put(3000, {.acknowledged = random.chance(1, 2)});
        (void)pair.run();
        for (const auto &[name, content] : pair.b->store.files)
            EXPECT_EQ(content, pair.a->store.files["source"]) << "seed " << seed;
    }
}

}  // namespace
}  // namespace farlink::cfdp::entity_test
