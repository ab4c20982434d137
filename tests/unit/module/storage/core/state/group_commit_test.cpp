// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/group_commit.hpp"

#include <gtest/gtest.h>

namespace farlink::storage::group_commit_test {
namespace {

constexpr TimePoint kStart{seconds(1)};

TEST(GroupCommit, AnIdleDiskIsFlushedAtOnce) {
    GroupCommit commit(milliseconds(5));
    EXPECT_FALSE(commit.due(kStart));
    EXPECT_TRUE(commit.clean());
    commit.handle_append(kStart);
    EXPECT_TRUE(commit.due(kStart));
    EXPECT_FALSE(commit.clean());
}

TEST(GroupCommit, WhatComesDuringAFlushWaitsForTheDiskButNotBeyondTheWindow) {
    GroupCommit commit(milliseconds(5));
    commit.handle_append(kStart);
    commit.handle_flush();
    commit.handle_append(kStart + milliseconds(1));
    EXPECT_FALSE(commit.due(kStart + milliseconds(1)));
    commit.handle_append_done();
    commit.handle_flush_done();
    EXPECT_FALSE(commit.due(kStart + milliseconds(2))) << "its write still queues";
    EXPECT_EQ(commit.next_timeout(), kStart + milliseconds(6));
    EXPECT_TRUE(commit.due(kStart + milliseconds(6)));
    commit.handle_append_done();
    EXPECT_TRUE(commit.due(kStart + milliseconds(2)));
    commit.handle_flush();
    commit.handle_flush_done();
    EXPECT_TRUE(commit.clean());
    EXPECT_EQ(commit.next_timeout(), kNever);
}

TEST(GroupCommit, ALazyWriteIsFlushedByItsDeadlineOrWithTheNextCommit) {
    GroupCommit commit(milliseconds(5));
    commit.handle_lazy_write(kStart + seconds(1));
    EXPECT_FALSE(commit.due(kStart));
    EXPECT_EQ(commit.next_timeout(), kStart + seconds(1));
    EXPECT_TRUE(commit.due(kStart + seconds(1)));
    commit.handle_append(kStart);
    EXPECT_TRUE(commit.due(kStart));
    commit.handle_flush();
    commit.handle_append_done();
    commit.handle_flush_done();
    EXPECT_TRUE(commit.clean());
}

}  // namespace
}  // namespace farlink::storage::group_commit_test
