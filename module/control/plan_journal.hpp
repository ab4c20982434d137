// SPDX-License-Identifier: Apache-2.0
// The history of a contact plan as a file: a line of JSON for each change, with who made it, when,
// and the contacts that it took and brought.
// Owned by the plan's keeper; its thread only.
// A line is on disk before add() returns, so that the plan of an older version and the lines behind
// it are the plan of now. A line that was cut short was never answered for, and counts as not
// written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "module/control/core/plan_edit.hpp"

namespace farlink::app {

/// Versions count changes, one by one: a larger number is damage.
inline constexpr std::uint64_t kMostVersions = std::uint64_t{1} << 53;

/// What the lines behind a version have changed, all together.
struct LaterChanges {
    std::uint64_t version = 0;  ///< that of the last line
    std::uint64_t newest = 0;   ///< the highest that any line has, or had before it was damaged
    std::size_t count = 0;
    bool broken = false;  ///< a line behind it does not follow: it is damaged, or one is missing
    std::map<std::uint64_t, std::optional<bus::Contact>> contacts{};  ///< by number; none: removed

    void apply_to(Contacts &plan) const;
};

class PlanJournal {
public:
    explicit PlanJournal(std::string path) : path_(std::move(path)) {}

    /// Gives each change to `handler`, the oldest first, without its contacts, and tells what those
    /// behind `version` have changed. Cuts off a line that is not whole.
    [[nodiscard]] LaterChanges read(std::uint64_t version,
                                    const std::function<void(nlohmann::ordered_json)> &handler);
    /// What is wrong, or nothing; then nothing has been added.
    [[nodiscard]] std::string add(const nlohmann::ordered_json &change,
                                  const PlanDifference &contacts);
    [[nodiscard]] bool full() const { return size() > kMostBytes; }
    /// It is as it was left: nobody has emptied or removed it meanwhile.
    [[nodiscard]] bool intact() const { return size() == left_; }
    /// Begins anew, and keeps the old file beside the new one.
    void rotate();

private:
    static constexpr std::uintmax_t kMostBytes = 16 * 1024 * 1024;

    [[nodiscard]] std::uintmax_t size() const;

    std::string path_;
    std::uintmax_t left_ = 0;  ///< its size behind what was read or added last
};

}  // namespace farlink::app
