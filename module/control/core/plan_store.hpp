// SPDX-License-Identifier: Apache-2.0
// The contact plan in force, as the plan commands use it.
// Implemented by ContactPlanStore, which keeps it on disk. The control agent's thread only, but for
// write(), plan_of(), read_configured() and write_configured(), which run in any thread; meanwhile
// none of them nor take() is called.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/plan/node_endpoints.hpp"
#include "module/control/core/caller.hpp"
#include "module/control/core/plan_edit.hpp"
#include "module/control/core/plan_window.hpp"

namespace farlink::control {

/// A plan, which never changes; null: there is none.
using SharedPlan = std::shared_ptr<const Contacts>;

/// The configured plan, read again.
struct ConfiguredPlan {
    std::string file;
    std::vector<config::NodeEndpoints> names;  ///< of nodes, for that file
    std::string digest;                        ///< of its contacts
    bool absolute = false;                     ///< it has times in UTC
    DtnTime second_zero = 0;
    SharedPlan plan;
};

/// A plan that is written and not in force yet.
struct NextPlan {
    SharedPlan plan;
    nlohmann::ordered_json change;               ///< for the history
    std::optional<ConfiguredPlan> configured{};  ///< it is that of the configuration
};

class PlanStore {
public:
    virtual ~PlanStore() = default;

    /// What the other modules have of the plan in force. The loop's thread only.
    [[nodiscard]] PlanWindow &window() { return window_; }
    [[nodiscard]] const PlanWindow &window() const { return window_; }

    /// In absolute time; null: all links have permanent contacts.
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
    /// The plan of an earlier version, in any thread; an error says why there is none.
    [[nodiscard]] virtual Result<Contacts, std::string> plan_of(std::uint64_t version) const = 0;
    /// Reads the configured plan again, in any thread. Nothing where it has the contacts of the one
    /// that was read last; `always`: in any case.
    [[nodiscard]] virtual Result<std::optional<ConfiguredPlan>, config::ConfigErrors>
    read_configured(const std::string &file, std::vector<config::NodeEndpoints> names, bool always,
                    DtnTime now) const = 0;
    /// Writes that the configured plan is in force; like write().
    [[nodiscard]] virtual Result<NextPlan, std::string> write_configured(ConfiguredPlan configured,
                                                                         const std::string &command,
                                                                         const Caller &caller,
                                                                         DtnTime now) = 0;
    /// Puts it in force. The caller brings the window to it.
    virtual void take(NextPlan next) = 0;

protected:
    PlanStore() = default;
    PlanStore(const PlanStore &) = default;
    PlanStore &operator=(const PlanStore &) = default;

private:
    PlanWindow window_;
};

}  // namespace farlink::control
