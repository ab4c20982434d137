// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/contact_plan_store.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "common/base/counted.hpp"
#include "common/base/siphash.hpp"
#include "common/config/fields/instant.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/routing/contact_changes.hpp"
#include "module/control/core/json/contact_text.hpp"
#include "module/control/state/state_file.hpp"

namespace farlink::control {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kRememberedChanges = 100;
/// With more contacts in a change, or more changes at a start, the whole plan is written.
constexpr std::size_t kMostLaterChanges = 1000;

/// 32 digits. Not secure against collisions on purpose.
std::string digest_of(ByteView octets) {
    const Hash128 hash = siphash128(SipKey{}, octets);
    std::string digits(32, ' ');
    std::snprintf(digits.data(), digits.size() + 1, "%016llx%016llx",
                  static_cast<unsigned long long>(hash.high),
                  static_cast<unsigned long long>(hash.low));
    return digits;
}

/// The same for the same contacts, whatever their order and spelling in the file.
std::string digest_of(const config::ContactPlan &plan) {
    using Words = std::array<std::uint64_t, 7>;
    std::vector<Words> contacts;
    contacts.reserve(plan.contacts.size());
    for (const config::PlanContact &contact : plan.contacts)
        contacts.push_back({contact.id, contact.source.value(), contact.destination.value(),
                            contact.start, contact.end, contact.rate.value(),
                            static_cast<std::uint64_t>(contact.owlt.count())});
    std::ranges::sort(contacts);
    // Beside the others, so that plans without periodic contacts keep their digests.
    std::vector<std::array<std::uint64_t, 3>> periodic;
    for (const config::PlanContact &contact : plan.contacts)
        if (contact.periodic()) periodic.push_back({contact.id, contact.repeat, contact.until});
    std::ranges::sort(periodic);
    Bytes octets(1 + contacts.size() * sizeof(Words) + periodic.size() * sizeof periodic[0]);
    octets.front() = plan.absolute ? 1 : 0;
    std::uint8_t *next = octets.data() + 1;
    const auto put = [&next](const auto &words) {
        for (const std::uint64_t word : words) {
            store_be(next, word);
            next += sizeof word;
        }
    };
    std::ranges::for_each(contacts, put);
    std::ranges::for_each(periodic, put);
    return digest_of(ByteView(octets));
}

/// Of a plan with seconds that count from the time at which it is read: the same at all times. If
/// it also has times in UTC, it may have no meaning at time 0; then its text counts.
std::string digest_of_anchored(const std::string &text,
                               const std::vector<config::NodeEndpoints> &names) {
    if (const auto plan = config::parse_contact_plan(text, DtnTime{}, names))
        return digest_of(*plan);
    return digest_of(as_bytes(text));
}

constexpr const char *kNoPlan = "no contact plan is configured: all links have permanent contacts";

/// null for a text that is damaged.
ordered_json object_of(const std::string &text) {
    if (config::nested_too_deeply(text)) return nullptr;
    return ordered_json::parse(text, nullptr, false);
}

bool has_version(const ordered_json &object) {
    if (!object.is_object()) return false;
    const ordered_json version = object.value("version", ordered_json());
    return version.is_number_unsigned() && version < kMostVersions;
}

bool is_state(const ordered_json &state) {
    return has_version(state) && state.value("node", ordered_json()).is_number_unsigned() &&
           state.value("configuredPlan", ordered_json()).is_string() &&
           (!state.contains("change") || has_version(state["change"]));
}

}  // namespace

ContactPlanStore::ContactPlanStore(const config::NodeConfig &config)
    : node_(config.node),
      configured_file_(config.contact_plan_file),
      names_(config.routing.nodes),
      folder_(config.state_folder),
      journal_(history_file()),
      claim_(config.state_folder),
      takes_commands_(!config.control_socket.empty() || config.api.wanted()) {}

// A node that takes no commands needs no folder, unless an earlier run has made one.
std::string ContactPlanStore::claim_folder() {
    std::error_code error;
    if (!takes_commands_ && !std::filesystem::exists(folder_, error)) return {};
    const auto claimed = claim_.lock();
    if (claimed) return {};
    return folder_ + (claimed.error() == storage::FileError::kLocked
                          ? ": stateFolder is in use by another running node\n"
                          : ": stateFolder cannot be created or written\n");
}

std::string ContactPlanStore::open(DtnTime now) {
    if (auto wrong = claim_folder(); !wrong.empty()) return wrong;
    if (auto wrong = open_configured(now); !wrong.empty()) return wrong;
    version_ = plan_ ? 1 : 0;
    const Json state = read_state();
    const bool good = state.is_object();
    if (good)
        if (auto wrong = wrong_owner(state); !wrong.empty()) return wrong;
    const auto base = good ? state["version"].get<std::uint64_t>() : kDtnNever;
    const LaterChanges later =
        journal_.read(base, [this](Json change) { remember(std::move(change)); });
    miss_lines(state, later);
    if (good)
        resume(state, later, now);
    else
        count_on();
    if (plan_) window().begin(*plan_, now);
    return {};
}

std::string ContactPlanStore::wrong_owner(const Json &state) const {
    if (state["node"] == node_.value()) return {};
    return folder_ + ": stateFolder belongs to node " + state["node"].dump() + "; expected node " +
           std::to_string(node_.value()) + "; each node requires its own folder\n";
}

std::string ContactPlanStore::review() const {
    const auto text = config::read_text_file(state_file());
    const Json state = text ? object_of(*text) : Json();
    return is_state(state) ? wrong_owner(state) : std::string();
}

/// Logs changes that one of the two files has and the other one lacks.
void ContactPlanStore::miss_lines(const Json &state, const LaterChanges &later) const {
    std::error_code error;
    if (!state.is_object()) {
        if (!history_.empty() && !std::filesystem::exists(state_file(), error))
            log_.error("{}: file missing, although {} has changes of the contact plan; {}",
                       state_file(), history_file(), what_is_in_force());
        return;
    }
    const auto version = state["version"].get<std::uint64_t>();
    // A state file without `change` precedes its first change; one with it has its own line.
    const bool noted = state.contains("change");
    if (later.newest >= (noted ? version : version + 1)) return;
    // Version 1 is the configured plan, which has no line.
    const bool only_last =
        noted && (later.newest + 1 == version || (later.newest == 0 && version == 2));
    if (only_last)
        return log_.warn(
            "{}: the line of change {} of the contact plan is missing; it is written again from "
            "{}; changes after it, if there were any, are lost",
            history_file(), version, state_file());
    log_.error(
        "{}: file empty, truncated or missing: change {} of the contact plan not found; changes "
        "after version {}, if there were any, are lost",
        history_file(), noted ? version : version + 1, version);
}

std::string ContactPlanStore::open_configured(DtnTime now) {
    if (configured_file_.empty()) return {};
    auto configured = read_configured(configured_file_, names_, true, now);
    if (!configured) return configured.error().to_string();
    plan_ = (*configured)->plan;
    set_configured(std::move(**configured));
    return {};
}

Result<std::optional<ConfiguredPlan>, config::ConfigErrors> ContactPlanStore::read_configured(
    const std::string &file, std::vector<config::NodeEndpoints> names, bool always,
    DtnTime now) const {
    const auto text = config::read_text_file(file);
    if (!text) return fail(config::ConfigErrors{file, {text.error()}});
    auto plan = config::parse_contact_plan(*text, now, names);
    if (!plan) {
        plan.error().source = file;
        return fail(std::move(plan.error()));
    }
    // Independent of the time at which the file is read.
    std::string digest = plan->anchored ? digest_of_anchored(*text, names) : digest_of(*plan);
    if (!always && digest == configured_digest_) return std::nullopt;
    return ConfiguredPlan{file,
                          std::move(names),
                          std::move(digest),
                          plan->absolute,
                          now,
                          std::make_shared<const Contacts>(plan->resolve(now))};
}

void ContactPlanStore::set_configured(ConfiguredPlan configured) {
    configured_file_ = std::move(configured.file);
    names_ = std::move(configured.names);
    configured_digest_ = std::move(configured.digest);
    absolute_ = configured.absolute;
    second_zero_ = configured.second_zero;
}

/// Before the state is applied.
const char *ContactPlanStore::what_is_in_force() const {
    return plan_ ? "the configured contact plan is in force" : kNoPlan;
}

/// null when there is no usable state.
ContactPlanStore::Json ContactPlanStore::read_state() {
    std::error_code error;
    if (!std::filesystem::exists(state_file(), error)) return nullptr;
    const auto text = config::read_text_file(state_file());
    if (!text) {
        log_.error("{}: {}; {}", state_file(), text.error().to_string(), what_is_in_force());
        return nullptr;
    }
    Json state = object_of(*text);
    if (!is_state(state)) {
        log_.error("{}: file damaged; {}", state_file(), what_is_in_force());
        return nullptr;
    }
    return state;
}

void ContactPlanStore::resume(const Json &state, const LaterChanges &later, DtnTime now) {
    version_ = state["version"].get<std::uint64_t>();
    // The node ended between the two files.
    const bool noted = !history_.empty() && history_.back()["version"] >= version_;
    if (state.contains("change") && !noted) {
        note(state["change"], {});
        remember(state["change"]);
    }
    const bool changed_before = state.contains("contacts") || later.count > 0 || later.broken;
    if (state["configuredPlan"].get<std::string>() != configured_digest_)
        return take_configured(later, changed_before, now);
    if (!changed_before) return;
    if (const std::string wrong = resume_base(state); !wrong.empty()) {
        log_.error("the saved contact plan is damaged: {}; {}", wrong, what_is_in_force());
        return count_on();
    }
    Contacts plan = plan_ ? *plan_ : Contacts{};
    later.apply_to(plan);
    plan_ = std::make_shared<const Contacts>(std::move(plan));
    version_ = later.version;
    by_command_ = true;
    based_ = !later.broken;
    if (later.broken) {
        const std::uint64_t readable = version_;
        version_ = std::max(version_, later.newest);
        log_.error(
            "{}: file damaged; changes after contact plan version {} are lost; the contacts of "
            "version {} are in force as version {}",
            history_file(), readable, readable, version_);
    }
    if (!based_ || later.count > kMostLaterChanges) {
        Json change = history_.empty() ? Json::object() : history_.back();
        change["version"] = version_;
        if (const std::string wrong = write_whole(plan_, change); !wrong.empty())
            log_.error("cannot write the state of the contact plan: {}", wrong);
    }
    log_.info("contact plan version {} restored: {}", version_, counted(plan_->size(), "contact"));
}

/// Takes the plan of the state file; the error, or nothing.
std::string ContactPlanStore::resume_base(const Json &state) {
    if (state.contains("contacts")) {
        auto contacts = contacts_from_json(state["contacts"], 0);
        if (!contacts) {
            contacts.error().source = state_file();
            const std::string lines = contacts.error().to_string();
            return lines.substr(0, lines.find('\n'));
        }
        plan_ = std::make_shared<const Contacts>(std::move(*contacts));
        return {};
    }
    const auto text = state.value("configuredFrom", Json());
    const auto from = text.is_string() ? config::parse_utc(text.get<std::string>()) : std::nullopt;
    if (!from) return state_file() + ": configuredFrom: expected a time in UTC";
    if (!plan_ || absolute_) return {};
    Contacts moved = *plan_;
    for (config::PlanContact &contact : moved) {
        contact.start = contact.start - second_zero_ + *from;
        contact.end = contact.end - second_zero_ + *from;
        if (contact.until != kDtnNever) contact.until = contact.until - second_zero_ + *from;
    }
    plan_ = std::make_shared<const Contacts>(std::move(moved));
    second_zero_ = *from;
    return {};
}

void ContactPlanStore::take_configured(const LaterChanges &later, bool changed_before,
                                       DtnTime now) {
    version_ = later.version;
    if (later.broken) version_ = std::max(version_, later.newest);
    if (changed_before)
        log_.warn("{}; this replaces contact plan version {}, which was set by command",
                  plan_ ? "the configured contact plan has changed" : kNoPlan, version_);
    ++version_;
    const Json change{{"version", version_},
                      {"time", config::format_utc(now)},
                      {"user", ""},
                      {"command", "configured plan"},
                      {"contacts", plan_ ? plan_->size() : 0}};
    const std::string wrong = write_whole(nullptr, change);
    if (!wrong.empty()) log_.error("cannot write the state of the contact plan: {}", wrong);
    based_ = false;
    note(change, {});
    remember(change);
}

/// Raises the version above all changes, so that the next one gets a new number.
void ContactPlanStore::count_on() {
    for (const Json &change : history_)
        version_ = std::max(version_, change["version"].get<std::uint64_t>());
}

/// Writes the state file with this plan; null: with the configured plan.
std::string ContactPlanStore::write_whole(const SharedPlan &plan, const Json &change) {
    return write_whole(plan, change, configured_digest_);
}

std::string ContactPlanStore::write_whole(const SharedPlan &plan, const Json &change,
                                          const std::string &configured_digest) {
    if (auto wrong = make_state_folder(folder_); !wrong.empty()) return wrong;
    const Json state{{"node", node_.value()},
                     {"version", change["version"]},
                     {"configuredPlan", configured_digest},
                     {"change", change}};
    std::string text = state.dump(1);
    if (plan) {
        text.resize(text.size() - 2);  // the line end and the brace
        text += ",\n \"contacts\": " + contacts_text(*plan, TextForm::kLines) + "\n}";
    }
    std::string wrong = replace_file(state_file(), text + '\n');
    if (wrong.empty()) based_ = true;
    return wrong;
}

/// Writes the state file of the configured plan, which changes will follow.
std::string ContactPlanStore::write_base() {
    if (auto wrong = make_state_folder(folder_); !wrong.empty()) return wrong;
    const Json state{{"node", node_.value()},
                     {"version", version_},
                     {"configuredPlan", configured_digest_},
                     {"configuredFrom", config::format_utc(second_zero_)}};
    std::string wrong = replace_file(state_file(), state.dump(1) + '\n');
    if (wrong.empty()) based_ = true;
    return wrong;
}

Result<NextPlan, std::string> ContactPlanStore::write(const PlanDifference &changes,
                                                      const std::string &command,
                                                      const Caller &caller, DtnTime now) {
    Contacts contacts = plan_ ? *plan_ : Contacts{};
    routing::change_contacts(contacts, changes.gone(), changes.come());
    NextPlan next;
    next.change = {{"version", version_ + 1},
                   {"time", config::format_utc(now)},
                   {"user", caller.name},
                   {"command", command},
                   {"contacts", contacts.size()},
                   {"added", changes.added.size()},
                   {"changed", changes.changed.size()},
                   {"removed", changes.removed.size()}};
    next.plan = std::make_shared<const Contacts>(std::move(contacts));
    std::string wrong = write_change(next, changes);
    if (wrong.empty()) return next;
    log_.error("contact plan not changed: cannot write the state: {}", wrong);
    return fail(std::move(wrong));
}

Result<Contacts, std::string> ContactPlanStore::plan_of(std::uint64_t version) const {
    if (version == 0 || version > version_)
        return fail("no such version: " + std::to_string(version) + "; the plan has version " +
                    std::to_string(version_));
    const auto earlier = journal_.undo(version, version_);
    if (!earlier)
        return fail("version " + std::to_string(version) +
                    " cannot be restored: " + earlier.error());
    Contacts plan = plan_ ? *plan_ : Contacts{};
    earlier->apply_to(plan);
    return plan;
}

Result<NextPlan, std::string> ContactPlanStore::write_configured(ConfiguredPlan configured,
                                                                 const std::string &command,
                                                                 const Caller &caller,
                                                                 DtnTime now) {
    NextPlan next;
    next.plan = configured.plan;
    next.change = {{"version", version_ + 1},
                   {"time", config::format_utc(now)},
                   {"user", caller.name},
                   {"command", command},
                   {"contacts", configured.plan->size()}};
    if (auto wrong = write_whole(nullptr, next.change, configured.digest); !wrong.empty()) {
        log_.error("contact plan not changed: cannot write the state: {}", wrong);
        return fail(std::move(wrong));
    }
    note(next.change, {});
    next.configured = std::move(configured);
    return next;
}

void ContactPlanStore::take(NextPlan next) {
    ++version_;
    plan_ = std::move(next.plan);
    by_command_ = !next.configured;
    if (next.configured) {
        set_configured(std::move(*next.configured));
        based_ = false;
    }
    log_.info("contact plan version {} in force: {} ({} by {})", version_,
              counted(plan_->size(), "contact"), next.change["command"].get<std::string>(),
              next.change["user"].get<std::string>());
    remember(std::move(next.change));
}

/// Writes a line of the journal where the change is small and the state file precedes it; else the
/// whole plan.
std::string ContactPlanStore::write_change(const NextPlan &next, const PlanDifference &changes) {
    std::error_code error;
    if (!journal_.intact())
        log_.error(
            "{}: file emptied, removed or changed by another program; the new contact plan "
            "version is based on the contact plan in force, not on this file; earlier versions may "
            "not be restorable",
            history_file());
    const bool based = based_ && journal_.intact() && std::filesystem::exists(state_file(), error);
    const bool small = plan_ && changes.size() <= kMostLaterChanges && (based || !by_command_);
    if (small && !journal_.full()) {
        if (!based)
            if (auto wrong = write_base(); !wrong.empty()) return wrong;
        return journal_.add(next.change, changes);
    }
    if (auto wrong = write_whole(next.plan, next.change); !wrong.empty()) return wrong;
    note(next.change, changes);
    return {};
}

/// Adds a change to the journal that the state file has already.
void ContactPlanStore::note(const Json &change, const PlanDifference &contacts) {
    if (journal_.full()) journal_.rotate();
    const std::string wrong = journal_.add(change, contacts);
    if (!wrong.empty())
        log_.error("contact plan changed, but the change is not recorded in the history: {}",
                   wrong);
}

void ContactPlanStore::remember(Json change) {
    history_.push_back(std::move(change));
    if (history_.size() > kRememberedChanges) history_.pop_front();
}

}  // namespace farlink::control
