// SPDX-License-Identifier: Apache-2.0
// Faults of a simulated disk: no power, one failing operation, or removal.
// Owned by a SimDirectory, which asks before each change.
// One thread.
#pragma once

#include <cstdint>
#include <optional>

#include "module/storage/store/directory/blocking_directory.hpp"

namespace farlink::test {

class SimFaults {
public:
    using FileError = storage::FileError;

    /// The operation with this number (counted from now, from 0) and all later ones fail as if a
    /// power cut happened during it.
    void power_off_at(std::uint64_t operation) { power_off_at_ = operations_ + operation; }
    /// It loses power together with the other directory.
    void share_power_of(const SimFaults &other) { supply_ = &other; }
    /// The disk is removed or inserted again; while removed, all writes and reads fail.
    void set_removed(bool removed) { removed_ = removed; }
    /// The operation with this number (counted from now, from 0) fails, once.
    void fail_at(std::uint64_t operation, FileError error) {
        fail_at_ = operations_ + operation;
        fault_ = error;
    }
    /// The power is back, and no fault is to come. A disk that was pulled out stays out.
    void clear() {
        powered_off_ = false;
        power_off_at_.reset();
        fail_at_.reset();
    }

    /// Counts an operation that changes something, and decides whether it takes place.
    [[nodiscard]] Result<void, FileError> operation() {
        const std::uint64_t number = operations_++;
        powered_off_ |= power_off_at_ && number >= *power_off_at_;
        powered_off_ |= supply_ != nullptr && supply_->powered_off_;
        if (powered_off_ || removed_) return fail(FileError::kIo);
        if (fail_at_ && number == *fail_at_) {
            fail_at_.reset();
            return fail(fault_);
        }
        return {};
    }

    /// Writes, flushes and changes of the directory so far.
    [[nodiscard]] std::uint64_t operations() const { return operations_; }
    [[nodiscard]] bool powered_off() const { return powered_off_; }
    [[nodiscard]] bool removed() const { return removed_; }

private:
    bool powered_off_ = false;
    bool removed_ = false;
    const SimFaults *supply_ = nullptr;
    std::uint64_t operations_ = 0;
    std::optional<std::uint64_t> power_off_at_;
    std::optional<std::uint64_t> fail_at_;
    FileError fault_ = FileError::kIo;
};

}  // namespace farlink::test
