// SPDX-License-Identifier: Apache-2.0
// A directory that does one thing at a time: what is started has ended when the call returns.
// Owned as a LogDirectory is; wake() may be called by any thread.
// The base of PosixDirectory and of the simulated one.
#pragma once

#include <atomic>

#include "common/buffer/ring.hpp"
#include "module/storage/store/directory/log_directory.hpp"

namespace farlink::storage {

class BlockingDirectory : public LogDirectory {
public:
    void start_sync(FileNumber file) override { synced_ = sync(file); }
    [[nodiscard]] std::optional<Result<void, FileError>> poll_sync() override {
        return std::exchange(synced_, std::nullopt);
    }
    void start_read(FileNumber file, std::uint64_t offset, MutableBytes out,
                    std::uint64_t tag) override {
        reads_.push_back({tag, read(file, offset, out)});
    }
    [[nodiscard]] std::optional<ReadDone> poll_read() override {
        if (reads_.empty()) return std::nullopt;
        return reads_.pop_front();
    }
    void wait() override {
        if (synced_ || !reads_.empty()) return;
        woken_.wait(false);
        woken_.clear();
    }
    void wake() override {
        woken_.test_and_set();
        woken_.notify_one();
    }

private:
    std::optional<Result<void, FileError>> synced_;
    Ring<ReadDone> reads_;
    std::atomic_flag woken_;
};

}  // namespace farlink::storage
