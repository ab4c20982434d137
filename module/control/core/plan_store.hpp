// SPDX-License-Identifier: Apache-2.0
// The contact plan in force, as the plan commands use it.
// Implemented by ContactPlanStore, which keeps it on disk. The control agent's thread only, but for
// write(), which runs in any thread; meanwhile neither write() nor take() is called.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"
#include "module/control/core/caller.hpp"
#include "module/control/core/plan_edit.hpp"

namespace farlink::control {

/// A plan, which never changes; null: there is none.
using SharedPlan = std::shared_ptr<const Contacts>;

/// A plan that is written and not in force yet.
struct NextPlan {
    SharedPlan plan;
    nlohmann::ordered_json change;  ///< for the history
};

class PlanStore {
public:
    virtual ~PlanStore() = default;

    /// In absolute time; null: every outduct is always up.
    [[nodiscard]] virtual const SharedPlan &plan() const = 0;
    /// Counts the changes; 0: there has never been a plan.
    [[nodiscard]] virtual std::uint64_t version() const = 0;
    /// The plan was changed by command since the configured file was read.
    [[nodiscard]] virtual bool changed_by_command() const = 0;
    /// The latest changes, the oldest first: version, time, user, command, counts.
    [[nodiscard]] virtual const std::deque<nlohmann::ordered_json> &history() const = 0;

    /// Writes a change of the plan in force; an error says why, and then nothing has changed.
    [[nodiscard]] virtual Result<NextPlan, std::string> write(const PlanDifference &changes,
                                                              const std::string &command,
                                                              const Caller &caller,
                                                              DtnTime now) = 0;
    /// Puts it in force.
    virtual void take(NextPlan next) = 0;

protected:
    PlanStore() = default;
    PlanStore(const PlanStore &) = default;
    PlanStore &operator=(const PlanStore &) = default;
};

}  // namespace farlink::control
