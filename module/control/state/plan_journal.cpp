// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/plan_journal.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "common/codec/crc.hpp"
#include "common/config/fields/json_document.hpp"
#include "module/control/core/json/contact_text.hpp"
#include "module/control/state/state_file.hpp"

namespace farlink::control {
namespace {

using nlohmann::ordered_json;

constexpr const char *kAdded = "addedContacts";
constexpr const char *kChanged = "changedContacts";
constexpr const char *kRemoved = "removedContacts";
constexpr const char *kBefore = "contactsBefore";  ///< of the changed ones

/// Behind the name of the file before the current one.
constexpr const char *kOlder = ".1";

/// The last member of a line: the CRC-32C of the octets before it, as eight digits.
constexpr const char *kCheck = "crc32c";
constexpr std::size_t kCheckBytes = sizeof(R"(,"crc32c":"00000000"})") - 1;

std::string crc_of(std::string_view text) {
    std::array<char, 9> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x",
                  static_cast<unsigned>(codec::crc32c(as_bytes(text))));
    return digits.data();
}

/// null: the line is damaged. Lines of early versions have no check value.
ordered_json read_line(const std::string &text) {
    if (config::nested_too_deeply(text)) return nullptr;
    ordered_json line = ordered_json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains(kCheck)) return line;
    const std::size_t size = text.size() - std::min(text.size(), kCheckBytes);
    if (line[kCheck] != crc_of(std::string_view(text).substr(0, size))) return nullptr;
    line.erase(kCheck);
    return line;
}

/// The contacts of a line under `key`; nothing when they are missing or invalid.
std::optional<Contacts> contacts_of(const ordered_json &line, const char *key) {
    const auto list = line.find(key);
    if (list == line.end()) return std::nullopt;
    auto contacts = contacts_from_json(*list, 0);
    if (!contacts) return std::nullopt;
    return std::move(*contacts);
}

/// Adds a line to `changes`; false for a line that does not follow them.
bool follow(LaterChanges &changes, const ordered_json &line, std::uint64_t version) {
    const auto added = contacts_of(line, kAdded);
    const auto changed = contacts_of(line, kChanged);
    const auto removed = contacts_of(line, kRemoved);
    if (version != changes.version + 1 || !added || !changed || !removed) return false;
    changes.version = version;
    ++changes.count;
    for (const config::PlanContact &contact : *removed) changes.contacts[contact.id] = std::nullopt;
    for (const config::PlanContact &contact : *changed) changes.contacts[contact.id] = contact;
    for (const config::PlanContact &contact : *added) changes.contacts[contact.id] = contact;
    return true;
}

/// Puts contacts in the place of those with the same numbers.
void put(const std::map<std::uint64_t, std::optional<config::PlanContact>> &contacts,
         Contacts &plan) {
    std::erase_if(
        plan, [&](const config::PlanContact &contact) { return contacts.contains(contact.id); });
    for (const auto &[number, contact] : contacts)
        if (contact) plan.push_back(*contact);
}

/// Adds what a line has changed, as it was before; false for a line that does not have it. The
/// oldest line behind a version has the contact of that version.
bool note_before(EarlierContacts &earlier, const ordered_json &line) {
    const auto added = contacts_of(line, kAdded);
    const auto changed = contacts_of(line, kChanged);
    const auto removed = contacts_of(line, kRemoved);
    const auto before = contacts_of(line, kBefore);
    if (!added || !changed || !removed || !before || before->size() != changed->size())
        return false;
    // A new configured plan is a line without contacts.
    if (added->empty() && changed->empty() && removed->empty()) return false;
    for (const config::PlanContact &contact : *added)
        earlier.contacts.try_emplace(contact.id, std::nullopt);
    for (const Contacts *old : {&*before, &*removed})
        for (const config::PlanContact &contact : *old)
            earlier.contacts.try_emplace(contact.id, contact);
    return true;
}

}  // namespace

void LaterChanges::apply_to(Contacts &plan) const {
    put(contacts, plan);
}

void EarlierContacts::apply_to(Contacts &plan) const {
    put(contacts, plan);
}

Result<EarlierContacts, std::string> PlanJournal::undo(std::uint64_t version,
                                                       std::uint64_t last) const {
    EarlierContacts earlier{.version = version};
    for (const std::string &path : {path_ + kOlder, path_}) {
        std::ifstream file(path);
        std::string text;
        while (earlier.version < last && std::getline(file, text)) {
            const ordered_json line = read_line(text);
            const auto number = line.is_object() ? line.value("version", ordered_json()) : nullptr;
            if (!number.is_number_unsigned() || number != earlier.version + 1) continue;
            if (!note_before(earlier, line)) break;
            ++earlier.version;
        }
    }
    if (earlier.version == last) return earlier;
    return fail("the history does not have the contacts that version " +
                std::to_string(earlier.version + 1) + " has changed");
}

LaterChanges PlanJournal::read(std::uint64_t version,
                               const std::function<void(ordered_json)> &handler) {
    cut_last_line(path_);
    left_ = size();
    LaterChanges changes{.version = version};
    std::ifstream file(path_);
    std::string text;
    std::uint64_t last = 1;  ///< version of the line before; the first plan has no line
    while (std::getline(file, text)) {
        ordered_json line = read_line(text);
        const auto number = line.is_object() ? line.value("version", ordered_json()) : nullptr;
        // A whole line was acknowledged, readable or not.
        const bool readable = number.is_number_unsigned() && number < kMostVersions;
        last = readable ? number.get<std::uint64_t>() : last + 1;
        changes.newest = std::max(changes.newest, last);
        if (!readable) {
            changes.broken = changes.broken || last > version;
            continue;
        }
        const std::uint64_t found = last;
        if (found > version && !changes.broken) changes.broken = !follow(changes, line, found);
        for (const char *key : {kAdded, kChanged, kRemoved, kBefore}) line.erase(key);
        handler(std::move(line));
    }
    return changes;
}

std::string PlanJournal::add(const ordered_json &change, const PlanDifference &contacts) {
    std::string line = change.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    line.pop_back();  // the brace
    const auto put = [&line](std::string_view key, const std::string &value) {
        line.append(",\"").append(key).append("\":").append(value);
    };
    put(kAdded, contacts_text(contacts.added, TextForm::kOneLine));
    put(kChanged, contacts_text(contacts.changed, TextForm::kOneLine));
    put(kRemoved, contacts_text(contacts.removed, TextForm::kOneLine));
    put(kBefore, contacts_text(contacts.before, TextForm::kOneLine));
    put(kCheck, '"' + crc_of(line) + '"');
    line += '}';
    std::string wrong = append_line(path_, line);
    left_ = size();
    return wrong;
}

std::uintmax_t PlanJournal::size() const {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path_, error);
    return error ? 0 : size;
}

void PlanJournal::rotate() {
    std::error_code error;
    std::filesystem::rename(path_, path_ + kOlder, error);
    left_ = size();
}

}  // namespace farlink::control
