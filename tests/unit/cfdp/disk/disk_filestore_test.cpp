// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/disk_filestore.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "common/files/record_log.hpp"
#include "tests/support/octets.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::cfdp::disk_filestore_test {
namespace {

namespace fs = std::filesystem;

constexpr TransactionId kId{2, 7};

class DiskFilestoreTest : public ::testing::Test {
protected:
    DiskFilestoreTest() {
        root.emplace(*files::TargetFolder::open(folder));
        state.emplace(*EntityState::open(*root));
        store.emplace(*root, *state, "inbox");
    }
    void write(const std::string &name, std::string_view text) {
        std::ofstream(folder / name) << text;
    }
    std::string read(const std::string &name) {
        std::ifstream file(folder / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void reopen() {
        store.reset();
        state.reset();
        state.emplace(*EntityState::open(*root));
        store.emplace(*root, *state, "inbox");
    }

    /// What is there of a file that arrives.
    [[nodiscard]] bool has_copy(const std::string &name) const {
        for (const auto &each : fs::recursive_directory_iterator(folder / ".farlink-cfdp"))
            if (each.path().filename() == name) return true;
        return false;
    }

    const test::TempFolder temporary;
    const fs::path folder = temporary.path();
    std::optional<files::TargetFolder> root;
    std::optional<EntityState> state;
    std::optional<DiskFilestore> store;
};

TEST_F(DiskFilestoreTest, AFileHasItsNameWhenItIsFinished) {
    auto copy = *store->create(kId);
    ASSERT_TRUE(copy->write(3, as_bytes("def")));
    ASSERT_TRUE(copy->write(0, as_bytes("abc")));
    EXPECT_FALSE(fs::exists(folder / "inbox"));
    EXPECT_EQ(copy->finish("a/b/name.txt"), "inbox/a/b/name.txt");
    EXPECT_EQ(read("inbox/a/b/name.txt"), "abcdef");
    EXPECT_FALSE(has_copy("2-7.part"));
}

TEST_F(DiskFilestoreTest, ATakenNameGetsANumber) {
    fs::create_directory(folder / "inbox");
    write("inbox/x.txt", "other");
    auto copy = *store->create(kId);
    ASSERT_TRUE(copy->write(0, as_bytes("abc")));
    EXPECT_EQ(copy->finish("x.txt"), "inbox/x (2).txt");
    EXPECT_EQ(read("inbox/x.txt"), "other");
}

TEST_F(DiskFilestoreTest, NothingLeavesTheInbox) {
    for (const char *name : {"../x", "/x", "a/../x", "", "a//b", "."})
        EXPECT_FALSE(store->is_allowed(2, name)) << name;
    fs::create_directory(folder / "inbox");
    fs::create_directory_symlink("/tmp", folder / "inbox/link");
    auto copy = *store->create(kId);
    EXPECT_FALSE(copy->finish("link/x"));
    copy->discard();
    EXPECT_FALSE(has_copy("2-7.part"));
}

TEST_F(DiskFilestoreTest, OnlyPlainFilesBeneathTheRootAreSent) {
    write("file", "text");
    fs::create_directory(folder / "sub");
    fs::create_symlink("/etc/passwd", folder / "link");
    ::mkfifo((folder / "pipe").c_str(), 0600);
    EXPECT_TRUE(store->open("file"));
    for (const char *name :
         {"sub", "link", "pipe", "none", "../x", "/etc/passwd", ".farlink-cfdp/sequence"})
        EXPECT_FALSE(store->open(name)) << name;
}

TEST_F(DiskFilestoreTest, AFileThatChangesIsNotSentAsAMixture) {
    write("file", "text");
    auto file = *store->open("file");
    EXPECT_TRUE(file->read(0, 4));
    write("file", "longer");
    EXPECT_EQ(file->read(0, 4).error(), FileFault::kChanged);
}

TEST_F(DiskFilestoreTest, StatesRequestsAndEndsOutliveTheProcess) {
    auto copy = *store->create(kId);
    ASSERT_TRUE(copy->write(0, as_bytes("abc")));
    ASSERT_TRUE(copy->save(as_bytes("state")));
    auto unsaved = *store->create({2, 8});
    const PutRequest request{.destination = 5,
                             .source_name = "one",
                             .destination_name = "two",
                             .acknowledged = false,
                             .closure = true,
                             .checksum = Algorithm::kProximity1,
                             .options = {{Tlv::kMessageToUser, {'h', 'i'}}},
                             .content = Bytes{1, 2, 3}};
    ASSERT_EQ(state->save_put({1, 9}, request), 0);
    const auto sequence = state->next_sequence();
    copy.reset();
    unsaved.reset();
    reopen();
    state->remove_stray_copies();
    EXPECT_FALSE(has_copy("2-8.part"));
    const auto receivers = state->saved_receivers();
    ASSERT_EQ(receivers.size(), 1U);
    EXPECT_EQ(receivers[0].id, kId);
    EXPECT_EQ(as_text(receivers[0].state), "state");
    EXPECT_TRUE(receivers[0].has_copy);
    const auto requests = state->saved_puts();
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0].id, (TransactionId{1, 9}));
    EXPECT_EQ(requests[0].request.destination_name, "two");
    EXPECT_EQ(requests[0].request.checksum, Algorithm::kProximity1);
    EXPECT_TRUE(requests[0].request.closure);
    EXPECT_EQ(requests[0].request.options, request.options);
    EXPECT_EQ(requests[0].request.content, request.content);
    EXPECT_GT(state->next_sequence(), sequence);
    EXPECT_EQ(store->reopen(kId)->finish("x"), "inbox/x");
    EXPECT_EQ(read("inbox/x"), "abc");
    EXPECT_FALSE(state->saved_receivers()[0].has_copy);
    ASSERT_EQ(state->forget(kId, true), 0);
    reopen();
    EXPECT_TRUE(state->saved_receivers().empty());
    EXPECT_TRUE(state->delivered().contains(kId));
}

TEST_F(DiskFilestoreTest, ACopyWithAStateIsRemovedOnceItsEndIsOnDisk) {
    auto copy = *store->create(kId);
    ASSERT_TRUE(copy->save(as_bytes("state")));
    copy->discard();
    // Without its end on disk, a state without a copy is that of a file that was delivered.
    EXPECT_TRUE(has_copy("2-7.part"));
    EXPECT_TRUE(state->is_unsynced());
    const auto failed = state->begin_sync();
    state->end_sync(failed.discarded, EIO);
    EXPECT_TRUE(has_copy("2-7.part"));
    ASSERT_TRUE(store->sync(SyncScope::kStates));
    EXPECT_FALSE(has_copy("2-7.part"));
    EXPECT_FALSE(state->is_unsynced());
    reopen();
    EXPECT_TRUE(state->saved_receivers().empty());
    EXPECT_FALSE(state->delivered().contains(kId));
}

TEST_F(DiskFilestoreTest, ACopyOfAnEarlierReleaseIsFound) {
    ASSERT_EQ(state->save_receiver(kId, as_bytes("state")), 0);
    write(".farlink-cfdp/2-7.part", "abc");
    reopen();
    ASSERT_TRUE(state->saved_receivers().at(0).has_copy);
    EXPECT_EQ(store->reopen(kId)->finish("x"), "inbox/x");
    EXPECT_EQ(read("inbox/x"), "abc");
    EXPECT_FALSE(state->saved_receivers().at(0).has_copy);
}

TEST_F(DiskFilestoreTest, WhatAnEarlierReleaseHasLeftIsTakenOver) {
    Bytes put;
    ASSERT_EQ(state->save_put({1, 9}, {.destination = 5, .source_name = "a"}), 0);
    const Bytes journal = [&] {
        std::ifstream file(folder / ".farlink-cfdp/journal", std::ios::binary);
        return Bytes(std::istreambuf_iterator<char>(file), {});
    }();
    // A request of its own file has the same record without the id in front of it.
    files::RecordReader reader(journal);
    std::optional<ByteView> last;
    while (const auto record = reader.next()) last = record;
    constexpr std::size_t kIdBytes = 17;
    files::append_record(put, last->subspan(kIdBytes));
    ASSERT_EQ(state->forget({1, 9}, false), 0);
    write(".farlink-cfdp/1-9.put", as_text(put));
    write(".farlink-cfdp/2-7.state", std::string(7, '\0') + "\005state");
    write(".farlink-cfdp/ended", std::string(7, '\0') + "\002" + std::string(7, '\0') + "\010");
    reopen();
    ASSERT_EQ(state->saved_puts().size(), 1U);
    EXPECT_EQ(state->saved_puts()[0].request.source_name, "a");
    ASSERT_EQ(state->saved_receivers().size(), 1U);
    EXPECT_EQ(as_text(state->saved_receivers()[0].state), "state");
    EXPECT_TRUE(state->delivered().contains({2, 8}));
    for (const char *const name : {"1-9.put", "2-7.state", "ended"})
        EXPECT_FALSE(fs::exists(folder / ".farlink-cfdp" / name)) << name;
    reopen();
    EXPECT_EQ(state->saved_puts().size(), 1U);
}

TEST_F(DiskFilestoreTest, DamagedRecordsAreLeftOut) {
    write(".farlink-cfdp/1-1.put", "nonsense");
    write(".farlink-cfdp/1-1.state", "nonsense");
    write(".farlink-cfdp/x.put", "");
    write(".farlink-cfdp/sequence", "abc");
    reopen();
    EXPECT_TRUE(state->saved_puts().empty());
    EXPECT_TRUE(state->saved_receivers().empty());
    EXPECT_EQ(state->next_sequence(), 1U);
}

TEST_F(DiskFilestoreTest, OneDaemonAFolder) {
    EXPECT_FALSE(EntityState::open(*root));
}

}  // namespace
}  // namespace farlink::cfdp::disk_filestore_test
