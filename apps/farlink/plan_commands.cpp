// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/plan_commands.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "apps/farlink/contact_json.hpp"
#include "apps/farlink/plan_edit.hpp"
#include "apps/farlink/replies.hpp"
#include "common/routing/contact_changes.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::app {
namespace {

using Json = PlanCommands::Json;

constexpr const char *kNoAnswer = "the modules of the node do not answer";
constexpr const char *kWrittenOnly =
    "the change is written, but the modules of the node do not answer; `status` tells which: it is "
    "in force once they do";
constexpr const char *kNoPlan =
    "the node runs without a contact plan: begin one with `plan replace`";

}  // namespace

/// A plan change on its way: what was proposed, and what is known of its consequences.
struct PlanCommands::Proposal {
    PlanDifference changes;
    std::size_t contacts = 0;   ///< of the plan that comes of it
    std::uint64_t version = 0;  ///< of the plan when it is told
    Answer answer;
    bool dry_run = false;
    /// Of different modules, so in any order.
    std::optional<bus::LinkSnapshot> before;
    std::optional<bus::LinkSnapshot> after;
    std::optional<bus::RoutesPreview> preview;
    std::size_t awaited = 3;
};

Json PlanCommands::outcome(const Proposal &proposal, std::uint64_t version) {
    // Where nothing changes the modules are not asked.
    const bool same = !proposal.preview;
    return {{"ok", true},
            {"dryRun", proposal.dry_run},
            {"nothingChanges", same},
            {"version", version},
            {"contacts", proposal.contacts},
            {"added", proposal.changes.added.size()},
            {"changed", proposal.changes.changed.size()},
            {"removed", proposal.changes.removed.size()},
            {"links", same ? Json::array() : link_differences(*proposal.before, *proposal.after)},
            {"routes", same ? Json::array() : route_differences(*proposal.preview)}};
}

Json PlanCommands::to_json() const {
    return {{"version", plan_.version()},
            {"configured", plan_.plan().has_value()},
            {"changedByCommand", plan_.changed_by_command()},
            {"contacts", plan_.plan() ? plan_.plan()->size() : 0}};
}

void PlanCommands::show(const Json &, const Caller &, const Answer &answer) {
    Json reply{{"ok", true}, {"plan", to_json()}, {"contacts", Json::array()}};
    if (plan_.plan()) reply["contacts"] = app::to_json(*plan_.plan());
    answer(reply);
}

void PlanCommands::history(const Json &, const Caller &, const Answer &answer) {
    Json changes = Json::array();
    for (const Json &change : plan_.history()) changes.push_back(change);
    answer({{"ok", true}, {"version", plan_.version()}, {"changes", changes}});
}

// Checked as a whole first; then written, and then put in force, or only tried.
void PlanCommands::change(const Json &request, const Caller &caller, const Answer &answer) {
    const auto contacts = request.find("contacts");
    if (contacts == request.end())
        return answer(error_reply(Refusal::kMalformed, "`contacts` is missing"));
    const auto command = request["command"].get<std::string>();
    if (!plan_.plan() && command != "plan replace")
        return answer(error_reply(Refusal::kConflict, kNoPlan));
    const DtnTime now = read_wall_clock().dtn_ms;
    static const Contacts kNone;
    const Contacts &running = plan_.plan() ? *plan_.plan() : kNone;
    auto edited = command == "plan replace"  ? replace_contacts(running, *contacts, now)
                  : command == "plan add"    ? add_contacts(running, *contacts, now)
                  : command == "plan change" ? change_contacts(running, *contacts, now)
                                             : remove_contacts(running, *contacts);
    if (!edited) return answer(error_reply(edited.error()));
    const auto proposal = std::make_shared<Proposal>();
    proposal->changes = std::move(*edited);
    proposal->contacts =
        running.size() - proposal->changes.removed.size() + proposal->changes.added.size();
    proposal->answer = answer;
    const auto dry_run = request.find("dryRun");
    proposal->dry_run = dry_run != request.end() && *dry_run == true;
    if (plan_.plan() && proposal->changes.empty())
        return answer(outcome(*proposal, plan_.version()));

    const auto take = [this, proposal](auto Proposal::*place) {
        return [this, proposal, place](const auto &told) {
            (*proposal).*place = told;
            if (--proposal->awaited == 0) tell(*proposal);
        };
    };
    const auto links = take(&Proposal::after);
    const auto routes = take(&Proposal::preview);
    proposal->version = plan_.version();
    if (proposal->dry_run) {
        Contacts trial = running;
        routing::change_contacts(trial, proposal->changes.gone(), proposal->changes.come());
        questions_.ask_links(take(&Proposal::before));
        return questions_.try_plan(std::move(trial), links, routes);
    }
    const bool planned = plan_.plan().has_value();
    const std::string wrong = plan_.commit(proposal->changes, command, caller, now);
    if (!wrong.empty()) return answer(error_reply(Refusal::kUnavailable, wrong));
    proposal->version = plan_.version();
    questions_.ask_links(take(&Proposal::before));
    if (planned)
        questions_.change_plan(bus::PlanChange{proposal->changes.gone(), proposal->changes.come()},
                               links, routes);
    else
        questions_.change_plan(bus::PlanReplace{false, *plan_.plan()}, links, routes);
}

void PlanCommands::tell(const Proposal &proposal) const {
    if (proposal.before && proposal.after && proposal.preview)
        return proposal.answer(outcome(proposal, proposal.version));
    proposal.answer(
        error_reply(Refusal::kUnavailable, proposal.dry_run ? kNoAnswer : kWrittenOnly));
}

}  // namespace farlink::app
