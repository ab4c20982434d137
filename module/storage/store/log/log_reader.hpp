// SPDX-License-Identifier: Apache-2.0
// Reads records back and verifies them: neighbours in the log and in memory with one read, several
// reads at a time. Owned by LogDisk; its thread only.
// A record that is not what was written, or whose file is removed, gets kDamaged; the others of the
// request are served.
#pragma once

#include <vector>

#include "common/buffer/ring.hpp"
#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/log/log_files.hpp"

namespace farlink::storage {

class LogReader {
public:
    LogReader(LogDirectory &directory, const LogFiles &files)
        : directory_(directory), files_(files) {}

    void start(DiskRequestPtr request);
    /// The next request that was served; nothing when there is none now.
    [[nodiscard]] DiskRequestPtr poll();
    [[nodiscard]] bool idle() const { return busy_ == 0 && done_.empty(); }

private:
    struct Serving {
        DiskRequestPtr request;
        std::size_t runs = 0;  ///< that are being read
    };
    /// Records that are read with one read.
    struct Run {
        std::uint32_t serving = 0;
        std::span<DiskRecord> records;
        std::uint64_t mark = 0;
        bool parts = false;  ///< stretches of records
    };

    void handle(const ReadDone &done);
    void finish(std::uint32_t serving);
    void read_one(DiskRecord &record, const Run &run);
    static void judge(DiskRecord &record, ByteView in, const Run &run);

    LogDirectory &directory_;
    const LogFiles &files_;
    std::vector<Serving> serving_;
    std::vector<std::uint32_t> free_serving_;
    std::vector<Run> runs_;  ///< by the tag of their read
    std::vector<std::uint32_t> free_runs_;
    std::size_t busy_ = 0;  ///< requests that are being served
    Ring<DiskRequestPtr> done_;
};

}  // namespace farlink::storage
