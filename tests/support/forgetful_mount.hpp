// SPDX-License-Identifier: Apache-2.0
// A mounted file system that discards on command everything that was not flushed.
// Owned by one test; needs the program forgetful_fs, /dev/fuse and fusermount3, and fails without.
// The destructor unmounts; when the test is killed, the program ends and unmounts by itself.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "common/runtime/clock.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/child_process.hpp"

namespace farlink::test {

class ForgetfulMount {
public:
    ForgetfulMount() {
        std::string name = (std::filesystem::temp_directory_path() / "farlink-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
        const std::string program = std::string(FARLINK_BIN_DIR) + "/forgetful_fs";
        program_ = std::make_unique<ChildProcess>(std::vector<std::string>{program, path_});
        mounted_ = program_->line(ChildProcess::kOut) == "mounted";
        if (!mounted_) ADD_FAILURE() << program << " does not mount; /dev/fuse is required";
    }
    ForgetfulMount(const ForgetfulMount &) = delete;
    ForgetfulMount &operator=(const ForgetfulMount &) = delete;
    ~ForgetfulMount() {
        if (mounted_) {
            ChildProcess unmount({"/usr/bin/fusermount3", "-u", "-z", path_.string()});
            EXPECT_EQ(unmount.wait(), 0) << unmount.unread(ChildProcess::kErr);
            EXPECT_EQ(program_->wait(), 0);
        }
        program_.reset();
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }

    [[nodiscard]] bool mounted() const { return mounted_; }
    [[nodiscard]] const std::filesystem::path &path() const { return path_; }
    /// As after a power cut: waits for the last writes of programs that have ended, then discards.
    void forget() const {
        const TimePoint limit = monotonic_now() + seconds(20);
        for (;;) {
            std::ofstream command(path_ / ".forget");
            command << "x" << std::flush;
            if (command.good()) return;
            if (monotonic_now() > limit) break;
            std::this_thread::yield();
        }
        ADD_FAILURE() << "files are still open in " << path_;
    }

private:
    std::filesystem::path path_;
    std::unique_ptr<ChildProcess> program_;
    bool mounted_ = false;
};

}  // namespace farlink::test
