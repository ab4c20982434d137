// SPDX-License-Identifier: Apache-2.0
// Requests for disks, with the memory of their arrays, for use again.
// Owned by StorageContext; one thread.
// Requests are used again for any size, so in time all would have the arrays of a large one: what
// exceeds a limit is freed, and in time what is not used.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "common/buffer/ring.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

class RequestPool {
public:
    static constexpr std::size_t kMostBytes = 16 * 1024 * 1024;

    [[nodiscard]] DiskRequestPtr acquire(DiskVerb verb) {
        DiskRequestPtr request = free_.empty() ? std::make_unique<DiskRequest>() : free_.pop_back();
        bytes_ -= bytes_of(*request);  // 0 of a fresh one
        unused_ = std::min(unused_, free_.size());
        request->verb = verb;
        return request;
    }
    void recycle(DiskRequestPtr request) {
        request->clear();
        const std::size_t bytes = bytes_of(*request);
        if (bytes_ + bytes > kMostBytes) return;
        bytes_ += bytes;
        free_.push_back(std::move(request));
    }
    /// For once a second: frees half of those that were not asked for since the last call, if
    /// their arrays are large.
    void free_unused() {
        const std::size_t unused = unused_;
        for (std::size_t freed = 0; freed < unused / 2 && bytes_ > kKeptBytes; ++freed)
            bytes_ -= bytes_of(*free_.pop_front());
        unused_ = free_.size();
    }
    static constexpr std::size_t kKeptBytes = 1024 * 1024;
    /// Of the arrays of free ones.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
    [[nodiscard]] static std::size_t bytes_of(const DiskRequest &request) {
        return request.records.capacity() * sizeof(DiskRecord) +
               request.erased.capacity() * sizeof(RecordNumber);
    }

    Ring<DiskRequestPtr> free_;
    std::size_t bytes_ = 0;
    std::size_t unused_ = 0;  ///< were free all the time since free_unused()
};

}  // namespace farlink::storage
