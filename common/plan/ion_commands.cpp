// SPDX-License-Identifier: Apache-2.0
#include "common/plan/ion_commands.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "common/plan/plan_checks.hpp"

namespace farlink::config {
namespace {

constexpr std::uint64_t kLastNode = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kHighestRateBytes = kHighestRateBitsPerSecond / 8;

constexpr const char *kKnown =
    "`a`, `c` or `d` with `contact` or `range`, `@ time`, or a comment after `#`";

/// ionadmin's commands that set up an ION node and do not affect the plan.
bool is_of_the_node(std::string_view verb) {
    constexpr std::string_view kVerbs = "1sxevilhmqr?";
    return verb.size() == 1 && kVerbs.find(verb.front()) != std::string_view::npos;
}

NodeNumber node_of(const IonLine &line, std::size_t index, ConfigErrors &errors) {
    return NodeNumber{line.number(index, 1, kLastNode, "", errors).value_or(0)};
}

}  // namespace

bool IonCommands::read(const IonLine &line, std::string_view text) {
    const std::string_view verb = line.word(0);
    if (verb.empty() || verb.front() == '#') return true;
    any_ = true;
    if (verb == "@") {
        if (!has_words(line, 2, 2, "`@ time`")) return true;
        if (const auto time = line.instant(1, reference_, errors)) reference_ = *time;
    } else if (verb == "^") {
        read_region(line);
    } else if (verb == "a" || verb == "c" || verb == "d") {
        const std::string_view object = line.word(1);
        if (object == "contact" || object == "range")
            read_verb(line, text, verb.front(),
                      object == "contact" ? Kind::kContact : Kind::kRange);
        else
            line.wrong(1, "`contact` or `range`",
                       "commands of ION's other programs are not allowed here", errors);
    } else if (is_of_the_node(verb)) {
        // `m horizon` is for ION's congestion forecasts; nearly every file has it.
        if (verb != "m" || line.word(1) != "horizon")
            notes.add({line.place(0), "ignored " + in_quotes(verb), "",
                       "it configures an ION node, not the plan"});
    } else {
        line.wrong(0, kKnown, "a plan in JSON begins with {", errors);
    }
    if (contacts_.entries.size() <= kMostContacts && ranges_.entries.size() <= kMostContacts)
        return true;
    errors.errors.insert(errors.errors.begin(), too_many_contacts(line.place(0)));
    errors.trim();
    return false;
}

void IonCommands::read_verb(const IonLine &line, std::string_view text, char verb, Kind kind) {
    const bool contact = kind == Kind::kContact;
    if (verb == 'd')
        delete_entries(line, contact ? contacts_ : ranges_);
    else if (verb == 'c' && contact)
        change_contact(line);
    else if (verb == 'c')
        line.wrong(1, "`contact`", "a range is changed by `d range` and `a range`", errors);
    else if (contact)
        add_contact(line, text);
    else
        add_range(line, text);
}

void IonCommands::add_contact(const IonLine &line, std::string_view text) {
    if (!has_words(line, 7, 8,
                   "`a contact`, start, stop, sending node, receiving node, bytes per second and "
                   "optionally a confidence"))
        return;
    if (line.word(2) == "-1") {
        notes.add({line.place(0), "ignored the registration of a node", "",
                   "farlink needs none: the nodes are those of the contacts"});
        return;
    }
    if (line.word(3) == "0") {
        notes.add({line.place(0), "ignored a hypothetical contact", "",
                   "a contact that may be discovered later is not part of a plan"});
        return;
    }
    Entry entry{{}, line.number(), text};
    PlanContact &contact = entry.row.contact;
    entry.row.start = line.instant(2, reference_, errors);
    entry.row.end = line.instant(3, reference_, errors);
    contact.source = node_of(line, 4, errors);
    contact.destination = node_of(line, 5, errors);
    const auto rate = line.number(6, 1, kHighestRateBytes, "bytes per second", errors);
    contact.rate = BitRate{rate.value_or(0) * 8};
    if (line.size() > 7) read_confidence(line, 7);
    put(contacts_, std::move(entry));
}

void IonCommands::add_range(const IonLine &line, std::string_view text) {
    if (!has_words(line, 7, 7, "`a range`, start, stop, one node, the other node and seconds"))
        return;
    Entry entry{{}, line.number(), text};
    PlanContact &range = entry.row.contact;
    entry.row.start = line.instant(2, reference_, errors);
    entry.row.end = line.instant(3, reference_, errors);
    range.source = node_of(line, 4, errors);
    range.destination = node_of(line, 5, errors);
    const auto owlt = line.duration(6, kMaxOwltSeconds, "seconds of one-way light time", errors);
    range.owlt = owlt.value_or(Duration{});
    const Instant &start = entry.row.start.value_or(Instant{});
    const Instant &end = entry.row.end.value_or(Instant{});
    if (entry.row.start && entry.row.end && start.absolute == end.absolute &&
        end.milliseconds <= start.milliseconds)
        line.wrong(3, "a time after the start (" + in_words(start) + ')', "", errors);
    if (range.source != NodeNumber{} && range.source == range.destination)
        line.wrong(5, "another node than the first", "", errors);
    put(ranges_, std::move(entry));
}

void IonCommands::change_contact(const IonLine &line) {
    if (!has_words(line, 6, 7,
                   "`c contact`, start, sending node, receiving node, bytes per second and "
                   "optionally a confidence"))
        return;
    const auto start = line.instant(2, reference_, errors);
    const NodeNumber source = node_of(line, 3, errors);
    const NodeNumber destination = node_of(line, 4, errors);
    const auto rate = line.number(5, 1, kHighestRateBytes, "bytes per second", errors);
    if (line.size() > 6) read_confidence(line, 6);
    if (!start || !rate || source == NodeNumber{} || destination == NodeNumber{}) return;
    make_index(contacts_);
    const auto [first, last] =
        contacts_.index.equal_range(Key{source, destination, start->absolute, start->milliseconds});
    if (first == last) line.wrong(2, "the start of a contact of these nodes above", "", errors);
    for (auto at = first; at != last; ++at)
        contacts_.entries[at->second].row.contact.rate = BitRate{*rate * 8};
}

void IonCommands::delete_entries(const IonLine &line, Entries &entries) {
    if (!has_words(line, 5, 5, "`d contact` or `d range`, start or *, one node, the other node"))
        return;
    const bool all = line.word(2) == "*";
    const auto start = all ? Instant{} : line.instant(2, reference_, errors);
    const NodeNumber from = node_of(line, 3, errors);
    const NodeNumber to = node_of(line, 4, errors);
    if (!start || from == NodeNumber{} || to == NodeNumber{}) return;
    make_index(entries);
    const Key first{from, to, !all && start->absolute, all ? 0 : start->milliseconds};
    const Key last{from, to, all || start->absolute, all ? kDtnNever : start->milliseconds};
    const auto begin = entries.index.lower_bound(first);
    const auto end = entries.index.upper_bound(last);
    // `*` without a match is valid: files use it to clear the state of an earlier run.
    if (begin == end && !all) line.wrong(2, "the start of one of these nodes above", "", errors);
    for (auto at = begin; at != end; ++at) entries.entries[at->second].deleted = true;
    entries.index.erase(begin, end);
}

void IonCommands::read_confidence(const IonLine &line, std::size_t index) {
    const std::string_view text = line.word(index);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = error == std::errc{} && end == text.data() + text.size();
    if (!number || !(value > 0 && value <= 1))
        line.wrong(index, "a confidence above 0 and up to 1", "", errors);
    else if (value < 1)
        notes.add({line.place(index), "ignored the confidence " + in_quotes(text), "",
                   "the contact is treated as certain"});
}

/// A plan has one region.
void IonCommands::read_region(const IonLine &line) {
    if (!has_words(line, 2, 2, "`^ region`")) return;
    if (region_.empty()) region_ = line.word(1);
    if (region_ != line.word(1) || !contacts_.entries.empty())
        line.wrong(1, "one region in a file, named before the first contact",
                   "each region is a plan of its own", errors);
}

void IonCommands::put(Entries &entries, Entry entry) {
    if (entries.indexed && entry.row.start)
        entries.index.emplace(key_of(entry), entries.entries.size());
    entries.entries.push_back(std::move(entry));
}

bool IonCommands::has_words(const IonLine &line, std::size_t least, std::size_t most,
                            const char *expected) {
    if (line.size() >= least && line.size() <= most) return true;
    errors.add({line.place(std::min(line.size(), most)),
                "found " + std::to_string(line.size()) + " words", expected, ""});
    return false;
}

void IonCommands::make_index(Entries &entries) {
    if (std::exchange(entries.indexed, true)) return;
    for (std::size_t i = 0; i < entries.entries.size(); ++i)
        if (entries.entries[i].row.start) entries.index.emplace(key_of(entries.entries[i]), i);
}

IonCommands::Key IonCommands::key_of(const Entry &entry) {
    const PlanContact &contact = entry.row.contact;
    return {contact.source, contact.destination, entry.row.start->absolute,
            entry.row.start->milliseconds};
}

}  // namespace farlink::config
