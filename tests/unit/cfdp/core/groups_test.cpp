// SPDX-License-Identifier: Apache-2.0
// Many small files: their PDUs leave together, what confirms them waits for a sync, and other PDUs
// come meanwhile.
#include <gtest/gtest.h>

#include "cfdp/core/entity.hpp"
#include "tests/support/cfdp_pair.hpp"

namespace farlink::cfdp::groups_test {
namespace {

Tlv deletion() {
    return {Tlv::kFilestoreRequest,
            *encode_filestore_request({FilestoreRequest::Action::kDelete, "x", {}})};
}

Metadata metadata_of(std::uint64_t size) {
    return {.checksum_type = 15,
            .file_size = size,
            .source_name = "source",
            .destination_name = "copy"};
}

/// A receiver whose syncs take time.
struct SlowEnd {
    explicit SlowEnd(std::size_t most_receiving = 100)
        : entity({.local = 2, .most_receiving = most_receiving}, store) {
        entity.set_remote({.entity = 1});
        store.slow = true;
    }
    void give(const PduBody &body, std::uint64_t sequence = 1, bool class_1 = false) {
        const PduHeader header{.unacknowledged = class_1,
                               .id = {1, sequence},
                               .destination = 2,
                               .sequence_bytes = bytes_for(sequence)};
        entity.handle_pdu(encode_pdu(header, body), 1, now);
    }
    void give_file(std::uint64_t sequence, bool class_1 = false) {
        const Bytes data(10);
        give(metadata_of(10), sequence, class_1);
        give(FileData{.data = data}, sequence, class_1);
        give(Eof{.file_size = 10}, sequence, class_1);
    }
    std::size_t polled() {
        std::size_t count = 0;
        while (entity.poll_pdu(1, now)) ++count;
        return count;
    }
    std::optional<Finished> finished() {
        std::optional<Finished> found;
        while (const auto octets = entity.poll_pdu(1, now)) {
            const auto pdu = decode_pdu(*octets);
            if (const auto *body = std::get_if<Finished>(&pdu->body)) found = *body;
        }
        return found;
    }
    void end_sync(bool done = true) {
        ASSERT_TRUE(store.syncing);
        store.syncing = false;
        entity.handle_synced(done, now);
    }
    /// Syncs until nothing is to be synced.
    unsigned end_syncs() {
        unsigned count = 0;
        for (; store.syncing; ++count) end_sync();
        return count;
    }

    test::MemoryFilestore store;
    Entity entity;
    TimePoint now{};
};

TEST(CfdpGroups, NothingLeavesBeforeItsGroupIsOnDisk) {
    SlowEnd end;
    end.give_file(1);
    end.give_file(2);
    EXPECT_EQ(end.polled(), 0U);
    for (const char *const before : {"octets", "states", "names"}) {
        EXPECT_EQ(end.polled(), 0U) << before;
        end.end_sync();
    }
    EXPECT_FALSE(end.store.syncing);
    // ACK of EOF and Finished, of each.
    EXPECT_EQ(end.polled(), 4U);
    EXPECT_EQ(end.store.delivered, 2U);
}

TEST(CfdpGroups, WhatComesDuringASyncMakesTheNextGroup) {
    SlowEnd end;
    end.give_file(1);
    EXPECT_EQ(end.polled(), 0U);
    for (std::uint64_t sequence = 2; sequence <= 50; ++sequence) end.give_file(sequence);
    EXPECT_EQ(end.polled(), 0U);
    // Three for each of two groups.
    EXPECT_EQ(end.end_syncs(), 6U);
    EXPECT_EQ(end.store.delivered, 50U);
    EXPECT_EQ(end.polled(), 100U);
}

TEST(CfdpGroups, AStateNamesOnlyOctetsOfBeforeTheSync) {
    SlowEnd end;
    const Bytes data(4);
    end.give(metadata_of(8));
    end.give(FileData{.data = data});
    end.give(Eof{.file_size = 8});
    EXPECT_EQ(end.polled(), 0U);
    // It is complete now, but these octets may not be on disk when the sync ends.
    end.give(FileData{.offset = 4, .data = data});
    end.end_sync();
    const auto state = decode_state(end.store.states.at({1, 1}));
    ASSERT_TRUE(state);
    ReceivedFile file(end.store.reopen({1, 1}));
    ASSERT_TRUE(file.load_state(state->file));
    EXPECT_EQ(file.extents().octets(), 4U);
    end.end_sync();
    EXPECT_EQ(end.store.delivered, 0U);
    EXPECT_EQ(end.polled(), 0U);
    end.end_syncs();
    EXPECT_EQ(end.store.delivered, 1U);
    EXPECT_GE(end.polled(), 2U);
}

TEST(CfdpGroups, ASyncThatFailsRejectsItsGroupOnly) {
    SlowEnd end;
    end.give_file(1);
    EXPECT_EQ(end.polled(), 0U);
    end.give_file(2);
    end.end_sync(false);
    end.end_syncs();
    EXPECT_EQ(end.store.delivered, 1U);
    EXPECT_EQ(end.polled(), 4U);
    EXPECT_EQ(end.entity.report({1, 1})->condition, ConditionCode::kFilestoreRejection);
    EXPECT_EQ(end.entity.report({1, 2})->condition, ConditionCode::kNoError);
}

TEST(CfdpGroups, ACancelledOneOfAGroupEndsAfterIt) {
    SlowEnd end;
    end.give_file(1);
    EXPECT_EQ(end.polled(), 0U);
    end.give(Eof{.condition = ConditionCode::kCancelRequested, .file_size = 10});
    EXPECT_EQ(end.entity.active(), 1U);
    end.end_syncs();
    EXPECT_EQ(end.entity.active(), 0U);
    EXPECT_EQ(end.store.delivered, 0U);
    EXPECT_EQ(end.entity.take_ended().at(0).condition, ConditionCode::kCancelRequested);
}

TEST(CfdpGroups, NothingCancelsAFileThatHasItsName) {
    const Bytes data(10);
    for (const bool by_sender : {true, false}) {
        SlowEnd end;
        Metadata metadata = metadata_of(10);
        metadata.options = {deletion()};
        end.give(metadata);
        end.give(FileData{.data = data});
        end.give(Eof{.file_size = 10});
        EXPECT_EQ(end.polled(), 0U);
        end.end_sync();
        end.end_sync();
        // Its requests run once the name is on disk.
        EXPECT_EQ(end.store.delivered, 1U);
        if (by_sender) {
            end.give(Eof{.condition = ConditionCode::kCancelRequested, .file_size = 10});
        } else {
            (void)end.entity.suspend({1, 1}, end.now);
            (void)end.entity.cancel({1, 1}, end.now);
        }
        EXPECT_EQ(end.entity.next_timeout(), kNever);
        end.end_syncs();
        const auto finished = end.finished();
        ASSERT_TRUE(finished) << by_sender;
        EXPECT_EQ(finished->condition, ConditionCode::kNoError) << by_sender;
        EXPECT_EQ(finished->status, FileStatus::kRetained) << by_sender;
        EXPECT_EQ(finished->filestore_responses.size(), 1U) << by_sender;
        end.give(Ack{Directive::kFinished, {}, TransactionStatus::kActive});
        EXPECT_TRUE(end.entity.take_ended().at(0).outcome->ok()) << by_sender;
    }
}

TEST(CfdpGroups, AnEofThatComesWhileRequestsAreToRunMakesNoFile) {
    SlowEnd end;
    end.give(Metadata{.checksum_type = 15, .options = {deletion()}});
    EXPECT_EQ(end.polled(), 0U);
    end.end_sync();
    end.end_sync();
    end.give(Eof{});
    end.end_syncs();
    EXPECT_TRUE(end.store.copies.empty());
    const auto finished = end.finished();
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->condition, ConditionCode::kNoError);
    EXPECT_FALSE(finished->incomplete);
}

TEST(CfdpGroups, TheEndOfASuspendedFileIsRepeated) {
    SlowEnd end;
    end.store.slow = false;
    const Bytes data(10);
    end.give(metadata_of(10));
    ASSERT_TRUE(end.entity.suspend({1, 1}, end.now));
    end.give(FileData{.data = data});
    end.give(Eof{.file_size = 10});
    EXPECT_TRUE(end.finished());
    end.now = end.entity.next_timeout();
    end.entity.handle_timeout(end.now);
    EXPECT_TRUE(end.finished());
    EXPECT_GT(end.entity.next_timeout(), end.now);
}

TEST(CfdpGroups, AFileIsClosedBeforeItsEndIsConfirmed) {
    SlowEnd end;
    end.store.slow = false;
    end.give_file(1);
    EXPECT_EQ(end.store.open_copies, 1U);
    EXPECT_EQ(end.polled(), 2U);
    EXPECT_EQ(end.entity.active(), 1U);
    EXPECT_EQ(end.store.open_copies, 0U);
    EXPECT_EQ(end.entity.report({1, 1})->progress, 10U);
}

TEST(CfdpGroups, ANameThatIsNotOnDiskIsNotReported) {
    SlowEnd end;
    end.give_file(1, true);
    EXPECT_EQ(end.polled(), 0U);
    end.end_sync();
    EXPECT_EQ(end.store.delivered, 1U);
    end.end_sync(false);
    const auto ended = end.entity.take_ended();
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0].outcome->condition, ConditionCode::kFilestoreRejection);
    EXPECT_FALSE(ended[0].outcome->complete);
}

TEST(CfdpGroups, AnswersThatCannotLeaveAreFew) {
    SlowEnd end;
    for (std::uint64_t sequence = 1; sequence <= 3 * Outbox::kMostReplies; ++sequence)
        end.give(Eof{.condition = ConditionCode::kCancelRequested}, sequence);
    EXPECT_EQ(end.entity.active(), 0U);
    EXPECT_EQ(end.polled(), Outbox::kMostReplies);
}

TEST(CfdpGroups, AFileOfClass1IsReportedOnceItIsOnDisk) {
    SlowEnd end;
    end.give_file(1, true);
    EXPECT_EQ(end.polled(), 0U);
    EXPECT_EQ(end.store.delivered, 0U);
    end.end_sync();
    EXPECT_EQ(end.store.delivered, 1U);
    EXPECT_TRUE(end.entity.take_ended().empty());
    end.end_syncs();
    EXPECT_EQ(end.entity.take_ended().size(), 1U);
}

TEST(CfdpGroups, FilesThatAreCompleteMakeRoomForOthers) {
    SlowEnd end(3);
    end.store.slow = false;
    for (std::uint64_t sequence = 1; sequence <= 30; ++sequence) {
        end.give_file(sequence);
        (void)end.polled();
    }
    // None is confirmed yet, but a flood of such ones has a limit as well.
    EXPECT_EQ(end.entity.active(), 30U);
    end.give_file(31);
    EXPECT_EQ(end.entity.active(), 30U);
    EXPECT_EQ(end.entity.counters().too_many, 3U);
    end.give(Ack{Directive::kFinished, {}, TransactionStatus::kActive});
    end.give_file(31);
    EXPECT_EQ(end.entity.active(), 30U);
}

TEST(CfdpGroups, AnEndIsRememberedAfterManyOthers) {
    SlowEnd end;
    end.store.slow = false;
    constexpr std::uint64_t kMany = EndedTransactions::kMost + 100;
    for (std::uint64_t sequence = 1; sequence <= kMany; ++sequence) {
        end.give_file(sequence);
        (void)end.polled();
        end.give(Ack{Directive::kFinished, {}, TransactionStatus::kActive}, sequence);
    }
    (void)end.entity.take_ended();
    EXPECT_FALSE(end.entity.report({1, 1}));
    EXPECT_EQ(end.entity.ended().count(), kMany);
    EXPECT_EQ(end.entity.ended().report(kMany - 1).id.sequence, kMany);
    end.give_file(1);
    EXPECT_EQ(end.polled(), 2U);
    EXPECT_EQ(end.entity.active(), 0U);
    EXPECT_EQ(end.store.delivered, kMany);
}

/// A sender of files of 2,000 octets.
struct Sending {
    explicit Sending(std::size_t most_sending) : entity({.local = 1}, store) {
        entity.set_remote({.entity = 2, .most_sending = most_sending});
        store.files["source"] = Bytes(2'000);
    }
    TransactionId put(std::uint64_t sequence) {
        return *entity.put({.destination = 2, .source_name = "source", .destination_name = "copy"},
                           sequence);
    }
    /// Transactions of the PDUs that leave.
    std::vector<std::uint64_t> polled() {
        std::vector<std::uint64_t> sequences;
        while (const auto octets = entity.poll_pdu(2, now))
            sequences.push_back(decode_pdu(*octets)->header.id.sequence);
        return sequences;
    }
    void give(const PduBody &body, std::uint64_t sequence) {
        entity.handle_pdu(
            encode_pdu({.towards_sender = true, .id = {1, sequence}, .destination = 2}, body), 2,
            now);
    }

    test::MemoryFilestore store;
    Entity entity;
    TimePoint now{};
};

TEST(CfdpGroups, ThePdusOfASmallFileLeaveTogether) {
    Sending end(100);
    for (const std::uint64_t sequence : {1, 2, 3}) end.put(sequence);
    // Metadata, two segments and EOF.
    EXPECT_EQ(end.polled(), (std::vector<std::uint64_t>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
}

TEST(CfdpGroups, LargeFilesTakeTurns) {
    Sending end(100);
    end.store.files["source"] = Bytes(200'000);
    for (const std::uint64_t sequence : {1, 2}) end.put(sequence);
    const auto polled = end.polled();
    unsigned changes = 0;
    for (std::size_t at = 1; at < polled.size(); ++at) changes += polled[at] != polled[at - 1];
    EXPECT_GE(changes, 5U);
    EXPECT_LE(changes, 8U);
}

TEST(CfdpGroups, AsManyBeginAsMayBeUnderWay) {
    Sending end(2);
    for (std::uint64_t sequence = 1; sequence <= 5; ++sequence) end.put(sequence);
    EXPECT_EQ(end.polled(), (std::vector<std::uint64_t>{1, 1, 1, 1, 2, 2, 2, 2}));
    end.give(Finished{.status = FileStatus::kRetained}, 1);
    // ACK of Finished, and the next one.
    EXPECT_EQ(end.polled(), (std::vector<std::uint64_t>{1, 3, 3, 3, 3}));
    // A suspended one is not under way.
    ASSERT_TRUE(end.entity.suspend({1, 2}, end.now));
    EXPECT_EQ(end.polled(), (std::vector<std::uint64_t>{4, 4, 4, 4}));
    // The cancelled one that has not begun leaves its EOF, and its place.
    ASSERT_TRUE(end.entity.cancel({1, 5}, end.now));
    EXPECT_EQ(end.polled(), std::vector<std::uint64_t>{5});
    EXPECT_EQ(end.entity.active(), 4U);
}

TEST(CfdpGroups, AnEndOfAnEarlierRunIsTakenByOneThatWaits) {
    Sending end(1);
    end.put(1);
    end.put(2);
    EXPECT_EQ(end.polled().size(), 4U);
    end.give(Finished{.status = FileStatus::kRetained}, 2);
    EXPECT_EQ(end.polled(), std::vector<std::uint64_t>{2});
    EXPECT_EQ(end.entity.active(), 1U);
}

}  // namespace
}  // namespace farlink::cfdp::groups_test
