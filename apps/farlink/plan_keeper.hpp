// SPDX-License-Identifier: Apache-2.0
// The contact plan that is in force, its version, and who changed it: kept in the state folder, so
// that a restart resumes it.
// Owned by the node's supervisor; its thread only.
// A plan that was changed by command holds until the configured plan has other contacts; then that
// wins.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/farlink/caller.hpp"
#include "apps/farlink/plan_edit.hpp"
#include "common/config/node_config.hpp"
#include "common/runtime/log.hpp"
#include "module/storage/store/posix_directory.hpp"

namespace farlink::app {

class PlanKeeper {
public:
    explicit PlanKeeper(const config::NodeConfig &config);

    /// Claims the state folder, reads the configured plan and what the folder has; what is wrong
    /// with the configured one or who has the folder, or nothing. `now` is second 0 of a plan in
    /// seconds.
    [[nodiscard]] std::string open(DtnTime now);

    /// In absolute time; none: every outduct is always up.
    [[nodiscard]] const std::optional<Contacts> &plan() const { return plan_; }
    /// Counts the changes; 0: there has never been a plan.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    /// It came by command, not from the configured file.
    [[nodiscard]] bool changed_by_command() const { return by_command_; }
    /// The latest changes, the oldest first: version, time, user, command, counts.
    [[nodiscard]] const std::deque<nlohmann::ordered_json> &history() const { return history_; }

    /// Makes `plan` the one in force once it is on disk; what is wrong, or nothing: then nothing
    /// has changed.
    [[nodiscard]] std::string commit(Contacts plan, const PlanDifference &changes,
                                     const std::string &command, const Caller &caller, DtnTime now);

private:
    [[nodiscard]] std::string claim_folder();
    [[nodiscard]] std::string read_configured(DtnTime now);
    void resume(const std::string &text, DtnTime now);
    void go_on_after_damage();
    [[nodiscard]] std::string write_state(const std::optional<Contacts> &plan,
                                          const nlohmann::ordered_json &change) const;
    void note(const nlohmann::ordered_json &change, const PlanDifference &contacts);
    void read_history();
    void remember(nlohmann::ordered_json change);
    [[nodiscard]] std::string state_file() const { return folder_ + "/contact-plan.json"; }
    [[nodiscard]] std::string history_file() const {
        return folder_ + "/contact-plan-history.jsonl";
    }

    Logger log_{"plan"};
    NodeNumber node_;
    std::string configured_file_;
    std::string configured_digest_;  ///< of its contacts; empty: no plan is configured
    std::string folder_;
    storage::PosixDirectory claim_;  ///< on the folder, as on that of a store
    bool takes_commands_ = false;
    std::optional<Contacts> plan_;
    std::uint64_t version_ = 0;
    bool by_command_ = false;
    std::deque<nlohmann::ordered_json> history_;
};

}  // namespace farlink::app
