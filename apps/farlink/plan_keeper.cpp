// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/plan_keeper.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

#include "apps/farlink/state_file.hpp"
#include "common/base/siphash.hpp"
#include "common/config/instant.hpp"
#include "common/config/json_document.hpp"
#include "common/config/text_file.hpp"

namespace farlink::app {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kRememberedChanges = 100;
/// Then the history begins anew, and the old one is kept beside it.
constexpr std::uintmax_t kMostHistoryBytes = 16 * 1024 * 1024;

/// Tells whether a file says what it said, in whatever order, spelling or form; nobody is kept from
/// making two alike.
std::string digest_of(const config::ContactPlan &plan) {
    using Words = std::array<std::uint64_t, 7>;
    std::vector<Words> contacts;
    contacts.reserve(plan.contacts.size());
    for (const config::PlanContact &contact : plan.contacts)
        contacts.push_back({contact.id, contact.source.value(), contact.destination.value(),
                            contact.start, contact.end, contact.rate.value(),
                            static_cast<std::uint64_t>(contact.light_time.count())});
    std::ranges::sort(contacts);
    Bytes octets(1 + contacts.size() * sizeof(Words));
    octets.front() = plan.absolute ? 1 : 0;
    std::uint8_t *next = octets.data() + 1;
    for (const Words &contact : contacts)
        for (const std::uint64_t word : contact) {
            store_be(next, word);
            next += sizeof word;
        }
    const Hash128 hash = siphash128(SipKey{}, octets);
    std::string digits(32, ' ');
    std::snprintf(digits.data(), digits.size() + 1, "%016llx%016llx",
                  static_cast<unsigned long long>(hash.high),
                  static_cast<unsigned long long>(hash.low));
    return digits;
}

/// Nothing for a text that is damaged.
ordered_json object_of(const std::string &text) {
    if (config::nested_too_deeply(text)) return nullptr;
    return ordered_json::parse(text, nullptr, false);
}

bool is_state(const ordered_json &state) {
    return state.is_object() && state.value("node", ordered_json()).is_number_unsigned() &&
           state.value("version", ordered_json()).is_number_unsigned() &&
           state.value("configuredPlan", ordered_json()).is_string() &&
           state.value("change", ordered_json::object()).is_object();
}

}  // namespace

PlanKeeper::PlanKeeper(const config::NodeConfig &config)
    : node_(config.node),
      configured_file_(config.contact_plan_file),
      folder_(config.state_folder),
      claim_(config.state_folder),
      takes_commands_(!config.control_socket.empty()) {}

// A node that takes no commands writes nothing there, unless another run has.
std::string PlanKeeper::claim_folder() {
    std::error_code error;
    if (!takes_commands_ && !std::filesystem::exists(folder_, error)) return {};
    const auto claimed = claim_.lock();
    if (claimed) return {};
    return folder_ + (claimed.error() == storage::FileError::kLocked
                          ? ": another node that is running has this stateFolder\n"
                          : ": the stateFolder cannot be made or written\n");
}

std::string PlanKeeper::open(DtnTime now) {
    if (auto wrong = claim_folder(); !wrong.empty()) return wrong;
    if (auto wrong = read_configured(now); !wrong.empty()) return wrong;
    version_ = plan_ ? 1 : 0;
    read_history();
    std::error_code error;
    if (!std::filesystem::exists(state_file(), error)) return {};
    const auto text = config::read_text_file(state_file());
    if (text) {
        resume(*text, now);
    } else {
        log_.error("{}: {}", state_file(), text.error().to_string());
        go_on_after_damage();
    }
    return {};
}

std::string PlanKeeper::read_configured(DtnTime now) {
    if (configured_file_.empty()) return {};
    const auto text = config::read_text_file(configured_file_);
    if (!text) return config::ConfigErrors{configured_file_, {text.error()}}.to_string();
    auto plan = config::parse_contact_plan(*text);
    if (!plan) {
        plan.error().source = configured_file_;
        return plan.error().to_string();
    }
    configured_digest_ = digest_of(*plan);
    plan_ = contacts_of(*plan, now);
    return {};
}

void PlanKeeper::resume(const std::string &text, DtnTime now) {
    const ordered_json state = object_of(text);
    if (!is_state(state)) {
        log_.error("{}: damaged; the configured plan is in force", state_file());
        return go_on_after_damage();
    }
    if (state["node"].get<std::uint64_t>() != node_.value()) {
        log_.error("{}: of another node; the configured plan is in force", state_file());
        return;
    }
    version_ = state["version"].get<std::uint64_t>();
    if (state["configuredPlan"].get<std::string>() != configured_digest_) {
        if (state.contains("contacts"))
            log_.warn(
                "the configured plan has changed: it replaces version {}, which came by "
                "command",
                version_);
        ++version_;
        const ordered_json change{{"version", version_},
                                  {"time", config::format_utc(now)},
                                  {"user", ""},
                                  {"command", "configured plan"},
                                  {"contacts", plan_ ? plan_->size() : 0}};
        const std::string wrong = write_state(std::nullopt, change);
        if (!wrong.empty()) log_.error("{}", wrong);
        return note(change, {});
    }
    // The node ended between the two files.
    if (state.contains("change") && (history_.empty() || history_.back()["version"] != version_))
        note(state["change"], {});
    if (!state.contains("contacts")) return;
    auto contacts = contacts_from_json(state["contacts"], now);
    if (!contacts) {
        contacts.error().source = state_file();
        log_.error("damaged; the configured plan is in force:\n{}", contacts.error().to_string());
        return;
    }
    plan_ = std::move(*contacts);
    by_command_ = true;
    log_.info("version {} of the contact plan is resumed: {} contacts", version_, plan_->size());
}

/// The next change must not get a number that one has already.
void PlanKeeper::go_on_after_damage() {
    for (const ordered_json &change : history_)
        if (const auto known = change.value("version", ordered_json()); known.is_number_unsigned())
            version_ = std::max(version_, known.get<std::uint64_t>());
}

std::string PlanKeeper::write_state(const std::optional<Contacts> &plan,
                                    const ordered_json &change) const {
    if (auto wrong = make_state_folder(folder_); !wrong.empty()) return wrong;
    ordered_json state{{"node", node_.value()},
                       {"version", change["version"]},
                       {"configuredPlan", configured_digest_},
                       {"change", change}};
    if (plan) state["contacts"] = to_json(*plan);
    return replace_file(state_file(), state.dump(1) + '\n');
}

std::string PlanKeeper::commit(Contacts plan, const PlanDifference &changes,
                               const std::string &command, const Caller &caller, DtnTime now) {
    const ordered_json change{{"version", version_ + 1},
                              {"time", config::format_utc(now)},
                              {"user", caller.name},
                              {"command", command},
                              {"contacts", plan.size()},
                              {"added", changes.added.size()},
                              {"changed", changes.changed.size()},
                              {"removed", changes.removed.size()}};
    const std::string wrong = write_state(plan, change);
    if (!wrong.empty()) {
        log_.error("the plan stays as it is: {}", wrong);
        return wrong;
    }
    ++version_;
    plan_ = std::move(plan);
    by_command_ = true;
    note(change, changes);
    log_.info("version {} of the contact plan: {} contacts ({} by {})", version_, plan_->size(),
              command, caller.name);
    return {};
}

void PlanKeeper::note(const ordered_json &change, const PlanDifference &contacts) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(history_file(), error);
    if (!error && size > kMostHistoryBytes)
        std::filesystem::rename(history_file(), history_file() + ".1", error);
    ordered_json line = change;
    line["addedContacts"] = to_json(contacts.added);
    line["changedContacts"] = to_json(contacts.changed);
    line["removedContacts"] = to_json(contacts.removed);
    const std::string wrong = append_line(history_file(), line.dump());
    if (!wrong.empty()) log_.error("the change is not in the history: {}", wrong);
    remember(change);
}

void PlanKeeper::remember(ordered_json change) {
    history_.push_back(std::move(change));
    if (history_.size() > kRememberedChanges) history_.pop_front();
}

void PlanKeeper::read_history() {
    std::ifstream file(history_file());
    std::string text;
    while (std::getline(file, text)) {
        ordered_json line = object_of(text);
        if (!line.is_object()) continue;
        for (const char *key : {"addedContacts", "changedContacts", "removedContacts"})
            line.erase(key);
        remember(std::move(line));
    }
}

}  // namespace farlink::app
