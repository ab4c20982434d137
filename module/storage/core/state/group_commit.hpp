// SPDX-License-Identifier: Apache-2.0
// When to flush: at once on an idle disk; on a busy one, a flush covers all that arrived meanwhile.
// Owned by StorageCore, one for each disk; one thread.
// The window bounds how long writes that still queue at the disk may hold a flush back; it is never
// waited for.
#pragma once

#include <algorithm>

#include "common/base/time.hpp"

namespace farlink::storage {

class GroupCommit {
public:
    explicit GroupCommit(Duration window) : window_(window) {}

    /// An append goes to the disk.
    void handle_append(TimePoint now) {
        if (uncovered_ == 0) {
            oldest_ = now;
            idle_ = unwritten_ == 0 && !flushing_;
        }
        ++uncovered_;
        ++unwritten_;
    }
    void handle_append_done() { --unwritten_; }
    /// Something was written that must be flushed by `deadline` at the latest.
    void handle_lazy_write(TimePoint deadline) { lazy_ = std::min(lazy_, deadline); }

    [[nodiscard]] bool due(TimePoint now) const {
        if (flushing_) return false;
        const bool group = uncovered_ > 0 && (idle_ || unwritten_ == 0 || now >= oldest_ + window_);
        return group || now >= lazy_;
    }
    void handle_flush() {
        flushing_ = true;
        uncovered_ = 0;
        lazy_ = kNever;
    }
    void handle_flush_done() { flushing_ = false; }

    [[nodiscard]] TimePoint next_timeout() const {
        if (flushing_) return kNever;
        return uncovered_ > 0 ? std::min(lazy_, oldest_ + window_) : lazy_;
    }
    /// An append or a flush is at the disk or about to be.
    [[nodiscard]] bool writing() const { return uncovered_ > 0 || unwritten_ > 0 || flushing_; }
    /// Nothing is written that is not flushed.
    [[nodiscard]] bool clean() const { return uncovered_ == 0 && !flushing_ && lazy_ == kNever; }

private:
    Duration window_;
    TimePoint oldest_{};  ///< of the appends that no flush covers
    TimePoint lazy_ = kNever;
    std::size_t uncovered_ = 0;
    std::size_t unwritten_ = 0;  ///< appends at the disk
    bool idle_ = false;          ///< the disk was idle when oldest_ came
    bool flushing_ = false;
};

}  // namespace farlink::storage
