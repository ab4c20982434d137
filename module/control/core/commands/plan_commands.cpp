// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/plan_commands.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/config/review/next_hop_review.hpp"
#include "common/routing/contact_changes.hpp"
#include "module/control/core/json/contact_json.hpp"
#include "module/control/core/json/replies.hpp"
#include "module/control/core/plan_edit.hpp"

namespace farlink::control {
namespace {

using Json = PlanCommands::Json;

constexpr const char *kWrittenOnly =
    "the change is written and applies when the modules of the node reply";
constexpr const char *kNoPlan = "the node has no contact plan; create one with `plan replace`";

constexpr const char *kContactsOrIon =
    "expected either `contacts`, or `ion`, the text of a plan in ION's commands";
constexpr const char *kManyChangesWait = "too many changes of the plan are queued; try again";
constexpr const char *kNodeIsEnding = "the node is ending";

EditResult edit_contacts(const std::string &command, const Contacts &running, const Json &contacts,
                         DtnTime now) {
    return command == "plan replace"  ? replace_contacts(running, contacts, now)
           : command == "plan add"    ? add_contacts(running, contacts, now)
           : command == "plan change" ? change_contacts(running, contacts, now)
                                      : remove_contacts(running, contacts);
}

/// The change to an earlier version, or the reply that refuses it.
Result<PlanDifference, Json> change_back(const PlanStore &plan, const Json &request) {
    const auto version = request.find("version");
    if (version == request.end() || !version->is_number_unsigned())
        return fail(
            error_reply(Refusal::kMalformed, "`version`: expected the number of a version"));
    const auto earlier = plan.plan_of(version->get<std::uint64_t>());
    if (!earlier) return fail(error_reply(Refusal::kConflict, earlier.error()));
    return difference(*plan.plan(), *earlier);
}

/// The contacts of a request as JSON, those of ION's commands in `read`, or the reply that refuses
/// it.
Result<const Json *, Json> contacts_in(const Json &request, DtnTime now, Json &read) {
    const auto contacts = request.find("contacts");
    const auto ion = request.find("ion");
    if (ion == request.end()) {
        if (contacts == request.end())
            return fail(error_reply(Refusal::kMalformed, "`contacts` is missing"));
        return &*contacts;
    }
    if (contacts != request.end() || !ion->is_string())
        return fail(error_reply(Refusal::kMalformed, kContactsOrIon));
    auto made = contacts_from_ion(ion->get_ref<const std::string &>(), now);
    if (!made) return fail(error_reply(made.error()));
    // A file without a command would otherwise end all contacts.
    if (made->empty()) return fail(error_reply(Refusal::kMalformed, "`ion` has no contact"));
    read = std::move(*made);
    return &read;
}

/// The change that a request describes, or the reply that refuses it.
Result<PlanDifference, Json> edit_plan(const std::string &command, const Contacts &running,
                                       const Json &request, DtnTime now) {
    Json read;
    const auto contacts = contacts_in(request, now, read);
    if (!contacts) return fail(contacts.error());
    auto edited = edit_contacts(command, running, **contacts, now);
    if (!edited) return fail(error_reply(edited.error()));
    return std::move(*edited);
}

}  // namespace

/// A plan change under way: the proposal, and its consequences as far as they are known.
struct PlanCommands::Proposal {
    TakeReply answer;
    Caller caller;
    DtnTime time = 0;  ///< of the request
    std::optional<WrittenReply> refusal{};
    PlanDifference changes{};
    std::size_t contacts = 0;  ///< of the changed plan
    bool same = false;         ///< as the plan in force: nothing is sent to the modules
    bool dry_run = false;
    std::map<NodeNumber, std::uint64_t> first{};  ///< by neighbour, of the contacts that come
    std::vector<std::string> warnings{};
    std::optional<NextPlan> next{};     ///< written, not in force yet
    std::vector<bus::Contact> trial{};  ///< of a dry run, for the scheduler
    std::uint64_t version = 0;          ///< of the plan, with the message
    /// Replies of different modules come in any order.
    std::optional<bus::LinkSnapshot> before{};
    std::optional<bus::LinkSnapshot> after{};
    std::optional<bus::RoutesPreview> preview{};
    std::size_t awaited = 3;
};

Json PlanCommands::outcome(const Proposal &proposal) {
    const bool same = proposal.same;
    return {{"ok", true},
            {"dryRun", proposal.dry_run},
            {"nothingChanges", same},
            {"version", proposal.version},
            {"contacts", proposal.contacts},
            {"added", proposal.changes.added.size()},
            {"changed", proposal.changes.changed.size()},
            {"removed", proposal.changes.removed.size()},
            {"links", same ? Json::array() : link_differences(*proposal.before, *proposal.after)},
            {"routes", same ? Json::array() : route_differences(*proposal.preview)},
            {"warnings", proposal.warnings}};
}

Json PlanCommands::to_json() const {
    return {{"version", plan_.version()},
            {"configured", plan_.plan() != nullptr},
            {"changedByCommand", plan_.changed_by_command()},
            {"contacts", plan_.plan() ? plan_.plan()->size() : 0}};
}

void PlanCommands::show(const TakeReply &answer) {
    reply_later(
        replies_,
        [published = to_json(), plan = plan_.plan()] {
            Json reply{{"ok", true}, {"plan", published}, {"contacts", Json::array()}};
            if (plan) reply["contacts"] = control::to_json(*plan);
            return reply;
        },
        answer);
}

void PlanCommands::history(const TakeReply &answer) const {
    Json changes = Json::array();
    for (const Json &change : plan_.history()) changes.push_back(change);
    answer(written({{"ok", true}, {"version", plan_.version()}, {"changes", changes}}));
}

void PlanCommands::change(Read read, std::size_t bytes, const Caller &caller,
                          const TakeReply &answer, const WallClock &now) {
    const auto proposal = std::make_shared<Proposal>(Proposal{answer, caller, now.dtn_ms});
    const bool taken =
        changes_.add([this, proposal, read = std::move(read)](
                         const std::stop_token &stop) mutable { prepare(*proposal, read, stop); },
                     [this, proposal](const WallClock &later) { go_on(proposal, later); }, bytes);
    if (!taken) answer(written(error_reply(Refusal::kUnavailable, kManyChangesWait)));
}

// The change is checked as a whole; then it is written, or only tried.
void PlanCommands::prepare(Proposal &proposal, Read &read, const std::stop_token &stop) const {
    const auto refuse = [&](const Json &reply) { proposal.refusal = written(reply); };
    const auto request = read(stop);
    if (!request) return refuse(request.error());
    const auto command = (*request)["command"].get<std::string>();
    const DtnTime now = proposal.time;
    const SharedPlan &plan = plan_.plan();
    if (!plan && command != "plan replace") return refuse(error_reply(Refusal::kConflict, kNoPlan));
    static const Contacts kNone;
    const Contacts &running = plan ? *plan : kNone;
    auto edited = command == "plan rollback" ? change_back(plan_, *request)
                                             : edit_plan(command, running, *request, now);
    if (!edited) return refuse(edited.error());
    proposal.changes = std::move(*edited);
    const PlanDifference &changes = proposal.changes;
    proposal.contacts = running.size() - changes.removed.size() + changes.added.size();
    for (const Contacts *come : {&changes.added, &changes.changed})
        for (const config::PlanContact &contact : *come)
            if (contact.source == node_)
                proposal.first.try_emplace(contact.destination, contact.id);
    const auto dry_run = request->find("dryRun");
    proposal.dry_run = dry_run != request->end() && *dry_run == true;
    proposal.same = plan && changes.empty();
    if (proposal.same) return;
    if (stop.stop_requested()) return refuse(error_reply(Refusal::kUnavailable, kNodeIsEnding));

    if (proposal.dry_run) {
        Contacts trial = running;
        routing::change_contacts(trial, changes.gone(), changes.come());
        proposal.trial = PlanWindow::expand(trial, now);
        return;
    }
    auto next = plan_.write(changes, command, proposal.caller, now);
    if (!next) return refuse(error_reply(Refusal::kUnavailable, next.error()));
    proposal.next = std::move(*next);
}

void PlanCommands::go_on(const std::shared_ptr<Proposal> &proposal, const WallClock &now) {
    if (proposal->refusal) return proposal->answer(std::move(*proposal->refusal));
    const bool first = plan_.plan() == nullptr;
    const bool comes = proposal->next.has_value();
    if (comes) plan_.take(std::move(*proposal->next));
    proposal->version = plan_.version();
    if (comes)
        requests_.send(bus::AgentId::kTelemetry, bus::CommandReport{.kind = bus::CommandKind::kPlan,
                                                                    .number = proposal->version});
    warn(*proposal);
    if (proposal->same) return proposal->answer(written(outcome(*proposal)));
    const auto take = [this, proposal](auto Proposal::*place) {
        return [this, proposal, place](auto reply, const WallClock &) {
            (*proposal).*place = std::move(reply);
            if (--proposal->awaited == 0) publish(proposal);
        };
    };
    requests_.request_links(take(&Proposal::before), now);
    PlanWindow::Message message = bus::PlanReplace{true, std::move(proposal->trial)};
    if (!proposal->dry_run)
        message = plan_.window().change(first, proposal->changes.gone(), proposal->changes.come(),
                                        now.dtn_ms);
    std::visit(
        [&](auto &change) {
            requests_.change_plan(std::move(change), take(&Proposal::after),
                                  take(&Proposal::preview), now);
        },
        message);
}

void PlanCommands::handle_second(const WallClock &now) {
    if (auto change = plan_.window().handle_second(now.dtn_ms))
        requests_.send(bus::AgentId::kScheduler, std::move(*change));
}

// A plan may precede its links, so this is no error; each neighbour is named once.
void PlanCommands::warn(Proposal &proposal) const {
    config::LinkReach reach;
    for (const auto &[number, link] : links_.links())
        std::visit([&reach](const auto &config) { reach.add(config); }, link.config);
    for (const auto &[neighbour, contact] : proposal.first)
        if (!reach.includes(neighbour))
            proposal.warnings.push_back("contact " + std::to_string(contact) + ": " +
                                        config::no_link_text(neighbour));
}

void PlanCommands::publish(const std::shared_ptr<Proposal> &proposal) {
    if (proposal->before && proposal->after && proposal->preview)
        return reply_later(replies_, [proposal] { return outcome(*proposal); }, proposal->answer);
    const char *silent = proposal->before && proposal->after ? kNoRouter : kNoScheduler;
    proposal->answer(written(error_reply(
        Refusal::kUnavailable,
        proposal->dry_run ? std::string(silent) : std::string(kWrittenOnly) + "; " + silent)));
}

std::vector<NodeNumber> PlanCommands::neighbours(NodeNumber node) const {
    std::set<NodeNumber> found;
    if (plan_.plan())
        for (const config::PlanContact &contact : *plan_.plan())
            if (contact.source == node) found.insert(contact.destination);
    return {found.begin(), found.end()};
}

}  // namespace farlink::control
