// SPDX-License-Identifier: Apache-2.0
// The contact plan that is in force, its version, and who changed it: kept in the state folder, so
// that a restart resumes it.
// Owned by the node's supervisor; its thread only, but for write(), which runs in any thread;
// meanwhile neither write() nor take() is called.
// A plan that was changed by command holds until the configured plan has other contacts; then that
// wins. A change is a line of the journal; the whole plan is written now and then.
#pragma once

#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/control/core/caller.hpp"
#include "module/control/core/plan_edit.hpp"
#include "module/control/plan_journal.hpp"
#include "module/storage/store/directory/posix_directory.hpp"

namespace farlink::app {

/// A plan, which never changes; none: there is no plan.
using SharedPlan = std::shared_ptr<const Contacts>;

/// The version that comes of a change, when it is on disk.
struct NextPlan {
    SharedPlan plan;
    nlohmann::ordered_json change;  ///< for the history
};

class ContactPlanStore {
public:
    explicit ContactPlanStore(const config::NodeConfig &config);

    /// Claims the state folder, reads the configured plan and what the folder has; what is wrong
    /// with the configured one or who has the folder, or nothing. `now` is second 0 of a plan in
    /// seconds.
    [[nodiscard]] std::string open(DtnTime now);

    /// In absolute time; none: every outduct is always up.
    [[nodiscard]] const SharedPlan &plan() const { return plan_; }
    /// Counts the changes; 0: there has never been a plan.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    /// It came by command, not from the configured file.
    [[nodiscard]] bool changed_by_command() const { return by_command_; }
    /// The latest changes, the oldest first: version, time, user, command, counts.
    [[nodiscard]] const std::deque<nlohmann::ordered_json> &history() const { return history_; }

    /// Puts a change of the plan in force on disk; what is wrong: then nothing has changed. The
    /// plan itself stays until take(). In any thread.
    [[nodiscard]] Result<NextPlan, std::string> write(const PlanDifference &changes,
                                                      const std::string &command,
                                                      const Caller &caller, DtnTime now);
    void take(NextPlan next);

private:
    using Json = nlohmann::ordered_json;

    [[nodiscard]] std::string claim_folder();
    [[nodiscard]] std::string read_configured(DtnTime now);
    [[nodiscard]] Json read_state();
    void miss_lines(const Json &state, const LaterChanges &later) const;
    void resume(const Json &state, const LaterChanges &later, DtnTime now);
    [[nodiscard]] std::string resume_base(const Json &state);
    void take_configured(const LaterChanges &later, bool changed_before, DtnTime now);
    void count_on();
    [[nodiscard]] std::string write_whole(const SharedPlan &plan, const Json &change);
    [[nodiscard]] std::string write_base();
    [[nodiscard]] std::string write_change(const NextPlan &next, const PlanDifference &changes);
    void note(const Json &change, const PlanDifference &contacts);
    void remember(Json change);
    [[nodiscard]] std::string state_file() const { return folder_ + "/contact-plan.json"; }
    [[nodiscard]] std::string history_file() const {
        return folder_ + "/contact-plan-history.jsonl";
    }

    Logger log_{"plan"};
    NodeNumber node_;
    std::string configured_file_;
    std::vector<config::NodeEndpoints> names_;  ///< of nodes, for that file
    std::string configured_digest_;             ///< of its contacts; empty: no plan is configured
    std::string folder_;
    PlanJournal journal_;
    storage::PosixDirectory claim_;  ///< on the folder, as on that of a store
    bool takes_commands_ = false;
    SharedPlan plan_;
    bool absolute_ = false;    ///< the configured plan has times in UTC
    DtnTime second_zero_ = 0;  ///< of the configured plan
    std::uint64_t version_ = 0;
    bool by_command_ = false;
    /// The state file, and the lines of the journal behind it, are the plan in force.
    bool based_ = false;
    std::deque<nlohmann::ordered_json> history_;
};

}  // namespace farlink::app
