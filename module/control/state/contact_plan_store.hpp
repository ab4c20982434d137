// SPDX-License-Identifier: Apache-2.0
// The contact plan in force, its version and its history, in the state folder, so that a restart
// resumes it.
// Owned by main(), used by the control agent: its thread only, but for write(), which runs in any
// thread; meanwhile neither write() nor take() is called.
// A plan that was changed by command stays in force until the contacts of the configured plan
// change; then the configured plan replaces it. A change is a line of the journal; the whole plan
// is written after many changes or a large one.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/control/core/plan_store.hpp"
#include "module/control/state/plan_journal.hpp"
#include "module/storage/store/directory/posix_directory.hpp"

namespace farlink::control {

class ContactPlanStore final : public PlanStore {
public:
    explicit ContactPlanStore(const config::NodeConfig &config);

    /// Claims the state folder, reads the configured plan and the state of an earlier run. An error
    /// of the configured plan, or about the folder; or nothing. `now` is second 0 of a plan in
    /// seconds.
    [[nodiscard]] std::string open(DtnTime now);
    /// The error of open() if the state is that of another node. Claims and changes nothing.
    [[nodiscard]] std::string review() const;

    [[nodiscard]] const SharedPlan &plan() const override { return plan_; }
    [[nodiscard]] std::uint64_t version() const override { return version_; }
    [[nodiscard]] bool changed_by_command() const override { return by_command_; }
    [[nodiscard]] const std::deque<nlohmann::ordered_json> &history() const override {
        return history_;
    }
    [[nodiscard]] Result<NextPlan, std::string> write(const PlanDifference &changes,
                                                      const std::string &command,
                                                      const Caller &caller, DtnTime now) override;
    [[nodiscard]] Result<Contacts, std::string> plan_of(std::uint64_t version) const override;
    [[nodiscard]] Result<std::optional<ConfiguredPlan>, config::ConfigErrors> read_configured(
        const std::string &file, std::vector<config::NodeEndpoints> names, bool always,
        DtnTime now) const override;
    [[nodiscard]] Result<NextPlan, std::string> write_configured(ConfiguredPlan configured,
                                                                 const std::string &command,
                                                                 const Caller &caller,
                                                                 DtnTime now) override;
    void take(NextPlan next) override;

private:
    using Json = nlohmann::ordered_json;

    [[nodiscard]] std::string claim_folder();
    [[nodiscard]] std::string open_configured(DtnTime now);
    void set_configured(ConfiguredPlan configured);
    [[nodiscard]] const char *what_is_in_force() const;
    [[nodiscard]] Json read_state();
    [[nodiscard]] std::string wrong_owner(const Json &state) const;
    void miss_lines(const Json &state, const LaterChanges &later) const;
    void resume(const Json &state, const LaterChanges &later, DtnTime now);
    [[nodiscard]] std::string resume_base(const Json &state);
    void take_configured(const LaterChanges &later, bool changed_before, DtnTime now);
    void count_on();
    [[nodiscard]] std::string write_whole(const SharedPlan &plan, const Json &change);
    [[nodiscard]] std::string write_whole(const SharedPlan &plan, const Json &change,
                                          const std::string &configured_digest);
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
    std::string configured_digest_;             ///< of the contacts; empty: no plan is configured
    std::string folder_;
    PlanJournal journal_;
    storage::PosixDirectory claim_;  ///< on the folder, as on that of a store
    bool takes_commands_ = false;
    SharedPlan plan_;
    bool absolute_ = false;    ///< the configured plan has times in UTC
    DtnTime second_zero_ = 0;  ///< of the configured plan
    std::uint64_t version_ = 0;
    bool by_command_ = false;
    /// The state file and the lines of the journal behind it give the plan in force.
    bool based_ = false;
    std::deque<nlohmann::ordered_json> history_;
};

}  // namespace farlink::control
