// SPDX-License-Identifier: Apache-2.0
// The history of a contact plan as a file: a line of JSON for each change, with its user, its time
// and the contacts that it removed and added.
// Owned by ContactPlanStore; its thread only.
// A line is on disk before add() returns, so that the plan of an older version and the lines behind
// it give the plan in force. A line that was cut short was never acknowledged, and counts as not
// written.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/base/result.hpp"
#include "module/control/core/plan_edit.hpp"

namespace farlink::control {

/// Versions count changes, one by one: a larger number is damage.
inline constexpr std::uint64_t kMostVersions = std::uint64_t{1} << 53;

/// The changes of all lines behind a version.
struct LaterChanges {
    std::uint64_t version = 0;  ///< of the last line
    std::uint64_t newest = 0;   ///< the highest of all lines, damaged ones included
    std::size_t count = 0;
    bool broken = false;  ///< a line behind it is damaged or missing
    std::map<std::uint64_t, std::optional<config::PlanContact>>
        contacts{};  ///< by number; none: removed

    void apply_to(Contacts &plan) const;
};

/// What turns the plan in force into that of an earlier version.
struct EarlierContacts {
    std::uint64_t version = 0;  ///< of the last line that was taken back
    std::map<std::uint64_t, std::optional<config::PlanContact>> contacts{};  ///< none: it was added

    void apply_to(Contacts &plan) const;
};

class PlanJournal {
public:
    explicit PlanJournal(std::string path) : path_(std::move(path)) {}

    /// Gives each change to `handler`, the oldest first, without its contacts. Returns the changes
    /// behind `version`. Cuts off a line that is not whole.
    [[nodiscard]] LaterChanges read(std::uint64_t version,
                                    const std::function<void(nlohmann::ordered_json)> &handler);
    /// The contacts as they were at `version`, by the lines behind it up to version `last`; an
    /// error says which line is not there any more. Any thread; meanwhile nothing is added.
    [[nodiscard]] Result<EarlierContacts, std::string> undo(std::uint64_t version,
                                                            std::uint64_t last) const;
    /// The error, or nothing. After an error nothing has been added.
    [[nodiscard]] std::string add(const nlohmann::ordered_json &change,
                                  const PlanDifference &contacts);
    [[nodiscard]] bool full() const { return size() > kMostBytes; }
    /// Nothing else has emptied or removed the file.
    [[nodiscard]] bool intact() const { return size() == left_; }
    /// Starts a new file, and keeps the old one beside it.
    void rotate();

private:
    static constexpr std::uintmax_t kMostBytes = 16 * 1024 * 1024;

    [[nodiscard]] std::uintmax_t size() const;

    std::string path_;
    std::uintmax_t left_ = 0;  ///< size of the file after the last read() or add()
};

}  // namespace farlink::control
