// SPDX-License-Identifier: Apache-2.0
// One disk: a log in one directory that executes the core's requests. Appends, erasures and lists
// are done at once; flushes and reads go on while others are executed. Owned by its DiskThread (or
// by a simulated disk); one thread at a time. It never waits for anything but the file system, and
// keeps nothing in memory for a record.
#pragma once

#include "common/buffer/ring.hpp"
#include "module/storage/disk/disk_io.hpp"
#include "module/storage/store/log/log_reader.hpp"
#include "module/storage/store/log/log_recovery.hpp"
#include "module/storage/store/log/log_space.hpp"
#include "module/storage/store/log/log_writer.hpp"

namespace farlink::storage {

class LogDisk {
public:
    LogDisk(LogDirectory &directory, const LogOptions &options)
        : directory_(directory),
          options_(options),
          writer_(directory, files_, options_),
          space_(directory, files_, writer_),
          reader_(directory, files_) {}
    LogDisk(const LogDisk &) = delete;
    LogDisk &operator=(const LogDisk &) = delete;

    /// Claims the directory and hands every bundle in it to `sink`. Once, before execute().
    [[nodiscard]] Result<Recovery, StoreError> open(const RestoreSink &sink);
    /// The disk is new (Recovery::fresh) and joins others: the key of a store is one.
    void adopt_key(const SipKey &key) { writer_.adopt_key(key); }
    /// Takes a request that is to be executed.
    void start(DiskRequestPtr request);
    /// The next request that has been executed; nothing when there is none now.
    [[nodiscard]] DiskRequestPtr poll();
    /// A request is neither executed nor failed yet.
    [[nodiscard]] bool busy() const { return sync_ != nullptr || !reader_.idle(); }
    /// Executes `request` while the caller waits; nothing else may have been started.
    void execute(DiskRequest &request);

    /// Completes the log, so that the next start need not read it all. Nothing is executed after.
    void close();

    /// Log files that exist.
    [[nodiscard]] std::uint64_t file_count() const { return files_.size(); }

private:
    void list(DiskRequest &request);
    void poll_sync();

    LogDirectory &directory_;
    LogOptions options_;
    LogFiles files_;
    LogWriter writer_;
    LogSpace space_;
    LogReader reader_;
    DiskRequestPtr sync_;  ///< the flush that goes on
    Ring<DiskRequestPtr> done_;
};

}  // namespace farlink::storage
