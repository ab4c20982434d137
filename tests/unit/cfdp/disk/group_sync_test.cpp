// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/group_sync.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <condition_variable>
#include <deque>

#include "tests/support/temp_folder.hpp"

namespace farlink::cfdp::group_sync_test {
namespace {

/// The thread of the owner.
class Loop {
public:
    void post(std::function<void()> action) {
        const std::lock_guard hold(mutex_);
        posted_.push_back(std::move(action));
        wake_.notify_one();
    }
    void run_one() {
        std::unique_lock hold(mutex_);
        wake_.wait(hold, [this] { return !posted_.empty(); });
        const auto action = std::move(posted_.front());
        posted_.pop_front();
        hold.unlock();
        action();
    }

private:
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> posted_;
};

class CfdpGroupSync : public ::testing::Test {
protected:
    int wait(GroupSync::Task task) {
        int result = -1;
        group.request(std::move(task), [&](int error) { result = error; });
        while (result < 0) loop.run_one();
        return result;
    }

    const test::TempFolder temporary;
    FileDescriptor root{::open(temporary.path().c_str(), O_RDONLY | O_DIRECTORY)};
    Loop loop;
    GroupSync group{root.get(),
                    [this](std::function<void()> action) { loop.post(std::move(action)); }};
};

TEST_F(CfdpGroupSync, FilesFoldersAndAllAreSynced) {
    EXPECT_EQ(wait({.whole = true}), 0);
    EXPECT_EQ(wait({.file = FileDescriptor(::openat(root.get(), "file", O_RDWR | O_CREAT, 0600))}),
              0);
    GroupSync::Task folders;
    folders.folders.emplace_back(::openat(root.get(), ".", O_RDONLY | O_DIRECTORY));
    EXPECT_EQ(wait(std::move(folders)), 0);
}

TEST_F(CfdpGroupSync, AnErrorIsReported) {
    int pipes[2];
    ASSERT_EQ(::pipe(pipes), 0);
    const FileDescriptor reader(pipes[0]);
    // Nothing of it is on a disk.
    EXPECT_EQ(wait({.file = FileDescriptor(pipes[1])}), EINVAL);
    EXPECT_EQ(wait({.whole = true}), 0);
}

TEST_F(CfdpGroupSync, EveryRequestHasItsResultInOrder) {
    std::vector<int> results;
    for (int number = 0; number < 100; ++number)
        group.request({.whole = number % 7 == 0}, [&results, number](int error) {
            EXPECT_EQ(error, 0);
            results.push_back(number);
        });
    while (results.size() < 100) loop.run_one();
    for (int number = 0; number < 100; ++number)
        EXPECT_EQ(results[static_cast<size_t>(number)], number);
}

}  // namespace
}  // namespace farlink::cfdp::group_sync_test
