// SPDX-License-Identifier: Apache-2.0
// A thread that executes the requests of one disk, so that the agent never waits for it.
// Owned by the storage agent, which calls everything here on its own thread; `on_completion` is
// called on the disk's thread and must only wake the agent.
// Appends, erasures and flushes go first and in their order; between two rounds one read is begun.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "common/buffer/ring.hpp"
#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/log/log_disk.hpp"

namespace farlink::storage {

class DiskThread {
public:
    /// The disk opens with open(); the thread starts then.
    DiskThread(std::unique_ptr<LogDirectory> directory, const LogOptions &options,
               std::function<void()> on_completion);
    /// Executes what was submitted, then ends the thread.
    ~DiskThread();

    /// Reads the whole log (so it may take long) and hands its bundles to `sink`. On any thread,
    /// before everything else.
    [[nodiscard]] Result<Recovery, StoreError> open(const RestoreSink &sink);

    /// As LogDisk::adopt_key(); after open() and before the first submit().
    void adopt_key(const SipKey &key) { disk_.adopt_key(key); }

    void submit(DiskRequestPtr request);
    /// The next request that has been executed; empty when there is none now. on_completion() is
    /// called when a completion comes after this has returned nothing.
    [[nodiscard]] DiskRequestPtr poll_completion();

    /// Log files that existed after the last request.
    [[nodiscard]] std::uint64_t file_count() const {
        return file_count_.load(std::memory_order_relaxed);
    }

private:
    void run();
    [[nodiscard]] bool take(Ring<DiskRequestPtr> &round);
    void complete(DiskRequestPtr request);

    std::unique_ptr<LogDirectory> directory_;
    LogDisk disk_;
    std::function<void()> on_completion_;

    std::atomic<std::uint64_t> file_count_{0};

    std::mutex mutex_;
    Ring<DiskRequestPtr> writes_;
    Ring<DiskRequestPtr> reads_;
    Ring<DiskRequestPtr> completed_;
    bool stopping_ = false;

    Ring<DiskRequestPtr> taken_;  ///< by the agent's thread, in one go
    std::thread thread_;
};

}  // namespace farlink::storage
