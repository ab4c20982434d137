// SPDX-License-Identifier: Apache-2.0
// What a receiver has to do before its next PDU leaves, in groups with other receivers.
// Owned by a receiver; one thread.
// What becomes due while a group is under way waits for the next one: its octets are not on disk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace farlink::cfdp {

/// In this order: a state is to be written, the file to get its name, its requests to be marked on
/// disk and then to run.
enum class CommitStep : std::uint8_t { kSave, kDeliver, kMark, kRun };

class CommitSteps {
public:
    void add(CommitStep step) { due_[at(step)] = true; }
    /// A group may begin with it.
    [[nodiscard]] bool any() const {
        return due_[at(CommitStep::kSave)] || due_[at(CommitStep::kDeliver)] ||
               due_[at(CommitStep::kMark)];
    }
    /// A group begins.
    void begin() {
        for (const CommitStep step : {CommitStep::kSave, CommitStep::kDeliver})
            begun_[at(step)] |= std::exchange(due_[at(step)], false);
    }
    /// It is due in the group that is under way. Marks and runs follow from its other steps.
    [[nodiscard]] bool has_begun(CommitStep step) const {
        return step < CommitStep::kMark ? begun_[at(step)] : due_[at(step)];
    }
    /// Whether it was due in this group.
    [[nodiscard]] bool take(CommitStep step) {
        return std::exchange(step < CommitStep::kMark ? begun_[at(step)] : due_[at(step)], false);
    }
    [[nodiscard]] bool has(CommitStep step) const { return due_[at(step)] || begun_[at(step)]; }
    /// Whether it was due.
    bool drop(CommitStep step) {
        const bool due = std::exchange(due_[at(step)], false);
        return std::exchange(begun_[at(step)], false) || due;
    }

private:
    static constexpr std::size_t at(CommitStep step) { return static_cast<std::size_t>(step); }

    std::array<bool, 4> due_{};
    std::array<bool, 4> begun_{};
};

}  // namespace farlink::cfdp
