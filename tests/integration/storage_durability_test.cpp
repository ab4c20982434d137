// SPDX-License-Identifier: Apache-2.0
// The real log on a file system that discards unflushed writes: records that were reported as
// flushed survive kill -9 and a power cut.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <set>

#include "module/storage/store/directory/posix_directory.hpp"
#include "tests/support/forgetful_mount.hpp"
#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::test::storage_durability_test {
namespace {

using test::log_options;
using test::LogDriver;
using test::payload_of;

std::string read_text(const std::filesystem::path &path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(StorageDurability, TheFileSystemDiscardsUnflushedWrites) {
    const ForgetfulMount mount;
    ASSERT_TRUE(mount.mounted());
    const auto sync = [](const std::filesystem::path &path, int flags) {
        const int descriptor = ::open(path.c_str(), flags);
        ASSERT_GE(descriptor, 0);
        EXPECT_EQ(::fsync(descriptor), 0);
        ::close(descriptor);
    };
    for (const char *name : {"named", "nameless"}) std::ofstream(mount.path() / name) << "first";
    sync(mount.path() / "named", O_RDONLY);
    sync(mount.path() / "nameless", O_RDONLY);
    std::filesystem::remove(mount.path() / "nameless");
    sync(mount.path(), O_RDONLY | O_DIRECTORY);
    std::ofstream(mount.path() / "named") << "second";
    std::ofstream(mount.path() / "late") << "third";
    sync(mount.path() / "late", O_RDONLY);
    EXPECT_EQ(read_text(mount.path() / "named"), "second");
    mount.forget();
    EXPECT_EQ(read_text(mount.path() / "named"), "first");
    EXPECT_FALSE(std::filesystem::exists(mount.path() / "nameless"));
    EXPECT_FALSE(std::filesystem::exists(mount.path() / "late"));
}

/// Stores and erases in an endless loop; writes to the pipe which records are flushed and, before
/// an erasure, which are erased.
[[noreturn]] void be_a_store(const std::filesystem::path &path, int report) {
    storage::PosixDirectory directory(path);
    LogDriver log(directory, log_options(16 * 1024));
    std::uint64_t next = log.locations.empty() ? 1 : log.locations.rbegin()->first + 1;
    const auto publish = [report](std::int64_t what) {
        if (::write(report, &what, sizeof what) != sizeof what) ::_exit(1);
    };
    for (;;) {
        const std::uint64_t first = next;
        for (int batch = 0; batch < 3; ++batch, next += 2)
            if (log.append({next, next + 1}) != DiskStatus::kOk) ::_exit(1);
        if (log.sync() != DiskStatus::kOk) ::_exit(1);
        for (std::uint64_t arrival = first; arrival < next; ++arrival)
            publish(static_cast<std::int64_t>(arrival));
        // All but every eighth record are erased soon, like those of bundles whose link is up.
        for (std::uint64_t arrival = first; arrival < next; ++arrival) {
            if (arrival % 8 == 0) continue;
            publish(-static_cast<std::int64_t>(arrival));
            log.erase({arrival});
        }
    }
}

/// One run of a store; kills it after `words` entries in the pipe, and returns.
void live_and_die(const std::filesystem::path &path, int words, std::set<std::uint64_t> &safe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) be_a_store(path, ends[1]);
    ::close(ends[1]);
    std::int64_t what = 0;
    for (int received = 0; ::read(ends[0], &what, sizeof what) == sizeof what; ++received) {
        if (what > 0)
            safe.insert(static_cast<std::uint64_t>(what));
        else
            safe.erase(static_cast<std::uint64_t>(-what));
        // Entries that it wrote before the kill count, so the loop reads to the end.
        if (received == words) ::kill(child, SIGKILL);
    }
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the store ended by itself";
}

TEST(StorageDurability, FlushedRecordsSurviveKillAndPowerCut) {
    const ForgetfulMount mount;
    ASSERT_TRUE(mount.mounted());
    const std::filesystem::path path = mount.path() / "store";
    std::set<std::uint64_t> safe;
    for (int life = 0; life < 8; ++life) {
        live_and_die(path, 40 + life * 97, safe);
        ASSERT_FALSE(safe.empty());
        mount.forget();
        storage::PosixDirectory directory(path);
        LogDriver log(directory, log_options(16 * 1024));
        ASSERT_TRUE(log.opened.has_value());
        const test::Contents found = log.read();
        for (const std::uint64_t arrival : safe) {
            const auto record = found.find(arrival);
            ASSERT_TRUE(record != found.end()) << "life " << life << " lost " << arrival;
            EXPECT_EQ(record->second, payload_of(arrival));
        }
    }
}

}  // namespace
}  // namespace farlink::test::storage_durability_test
