// SPDX-License-Identifier: Apache-2.0
#include "module/control/plan_journal.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "common/codec/crc.hpp"
#include "common/config/fields/json_document.hpp"
#include "module/control/state_file.hpp"

namespace farlink::app {
namespace {

using nlohmann::ordered_json;

constexpr const char *kAdded = "addedContacts";
constexpr const char *kChanged = "changedContacts";
constexpr const char *kRemoved = "removedContacts";

/// Ends a line: the CRC-32C of the octets before it, as eight digits.
constexpr std::string_view kCheck = R"(,"crc32c":")";
constexpr std::string_view kCheckEnd = R"("})";
constexpr std::size_t kCheckDigits = 8;
constexpr std::size_t kCheckBytes = kCheck.size() + kCheckDigits + kCheckEnd.size();

std::string check_of(std::string_view text) {
    std::array<char, kCheckDigits + 1> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x",
                  static_cast<unsigned>(codec::crc32c(as_bytes(text))));
    return std::string(kCheck) + digits.data() + std::string(kCheckEnd);
}

/// Nothing for a line that is damaged. Lines of early versions have no check value.
ordered_json read_line(std::string text) {
    const std::size_t size = text.size() - std::min(text.size(), kCheckBytes);
    if (std::string_view(text).substr(size).starts_with(kCheck)) {
        const std::string_view checked = std::string_view(text).substr(0, size);
        if (text.substr(size) != check_of(checked)) return nullptr;
        text.resize(size);
        text += '}';
    }
    if (config::nested_too_deeply(text)) return nullptr;
    return ordered_json::parse(text, nullptr, false);
}

/// The contacts of a line, without those that it only has when they are right.
std::optional<Contacts> contacts_of(const ordered_json &line, const char *key) {
    const auto list = line.find(key);
    if (list == line.end()) return std::nullopt;
    auto contacts = contacts_from_json(*list, 0);
    if (!contacts) return std::nullopt;
    return std::move(*contacts);
}

/// False for a line that is not the one behind `changes`.
bool follow(LaterChanges &changes, const ordered_json &line, std::uint64_t version) {
    const auto added = contacts_of(line, kAdded);
    const auto changed = contacts_of(line, kChanged);
    const auto removed = contacts_of(line, kRemoved);
    if (version != changes.version + 1 || !added || !changed || !removed) return false;
    changes.version = version;
    ++changes.count;
    for (const bus::Contact &contact : *removed) changes.contacts[contact.id] = std::nullopt;
    for (const bus::Contact &contact : *changed) changes.contacts[contact.id] = contact;
    for (const bus::Contact &contact : *added) changes.contacts[contact.id] = contact;
    return true;
}

}  // namespace

void LaterChanges::apply_to(Contacts &plan) const {
    std::erase_if(plan, [&](const bus::Contact &contact) { return contacts.contains(contact.id); });
    for (const auto &[number, contact] : contacts)
        if (contact) plan.push_back(*contact);
}

LaterChanges PlanJournal::read(std::uint64_t version,
                               const std::function<void(ordered_json)> &handler) {
    cut_last_line(path_);
    left_ = size();
    LaterChanges changes{.version = version};
    std::ifstream file(path_);
    std::string text;
    std::uint64_t last = 1;  ///< version of the line before; the first plan has none
    while (std::getline(file, text)) {
        ordered_json line = read_line(text);
        const auto number = line.is_object() ? line.value("version", ordered_json()) : nullptr;
        // A whole line was answered for, readable or not.
        const bool readable = number.is_number_unsigned() && number < kMostVersions;
        last = readable ? number.get<std::uint64_t>() : last + 1;
        changes.newest = std::max(changes.newest, last);
        if (!readable) {
            changes.broken = changes.broken || last > version;
            continue;
        }
        const std::uint64_t found = last;
        if (found > version && !changes.broken) changes.broken = !follow(changes, line, found);
        for (const char *key : {kAdded, kChanged, kRemoved}) line.erase(key);
        handler(std::move(line));
    }
    return changes;
}

std::string PlanJournal::add(const ordered_json &change, const PlanDifference &contacts) {
    ordered_json line = change;
    line[kAdded] = to_json(contacts.added);
    line[kChanged] = to_json(contacts.changed);
    line[kRemoved] = to_json(contacts.removed);
    std::string text = line.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    text.pop_back();  // the check value is the last key
    std::string wrong = append_line(path_, text + check_of(text));
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
    std::filesystem::rename(path_, path_ + ".1", error);
    left_ = size();
}

}  // namespace farlink::app
