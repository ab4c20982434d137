// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/plan/contact_fields.hpp"
#include "common/plan/plan_checks.hpp"
#include "common/plan/split_overlaps.hpp"

namespace farlink::config {
namespace {

using Kind = JsonValue::Kind;

constexpr std::uint64_t kUnixOfDtnEpoch = 946'684'800;  // 2000-01-01
/// 2100-01-01: a later time is in other units.
constexpr std::uint64_t kLatestUnixSecond = 4'102'444'800;
constexpr std::uint64_t kBitsOfMbit = 1'000'000;
constexpr std::string_view kIgnoredKeys[] = {"flowId", "finalDestination", "finalDestinationEid",
                                             "finalDestinationEids", "finalDestinationEidUris"};

/// The numbers of one contact, as written; what is missing is 0, as in HDTN.
struct Row {
    std::optional<std::uint64_t> number;
    std::uint64_t source = 0;
    std::uint64_t destination = 0;
    double start = 0;
    double end = 0;
    std::uint64_t rate = 0;
    double owlt = 0;
};

class PlanReader {
public:
    PlanReader(bool unix_timestamps, HdtnNotes &notes) : unix_(unix_timestamps), notes_(notes) {
        plan_.absolute = unix_;
    }

    ContactPlan read(std::string_view text) {
        const JsonStream stream{
            "contacts",
            [this](std::size_t index, const JsonValue &item) -> std::optional<ConfigError> {
                if (plan_.contacts.size() == kMostContacts) return too_many_contacts("contacts");
                take(item, item_path("contacts", index));
                return std::nullopt;
            }};
        const auto document = parse_json(text, stream);
        if (!document) {
            notes_.refuse(document.error().path,
                          ConfigError{"", document.error().problem, document.error().expected,
                                      document.error().hint}
                              .to_string());
            return {};
        }
        check_document(*document);
        renumber();
        split();
        return std::move(plan_);
    }

private:
    void check_document(const JsonValue &document) {
        if (document.kind != Kind::kObject)
            return notes_.refuse("", "found " + document.describe() + "; expected an object");
        std::size_t lists = 0;
        for (const JsonMember &member : document.members) {
            if (member.key != "contacts")
                notes_.refuse(member_path("", member.key), "unknown key");
            else if (member.value.kind != Kind::kList)
                notes_.refuse("contacts", "found " + member.value.describe() + "; expected a list");
            else if (++lists > 1)
                notes_.refuse("contacts", "found twice");
        }
        if (lists == 0) notes_.refuse("contacts", "missing");
    }

    void take(const JsonValue &item, const std::string &path) {
        if (item.kind != Kind::kObject)
            return notes_.refuse(path, "found " + item.describe() + "; expected an object");
        const std::size_t before = notes_.refusals();
        const Row row = read_row(item, path);
        if (notes_.refusals() == before) keep(row, path);
    }

    Row read_row(const JsonValue &item, const std::string &path) {
        Row row;
        std::set<std::string_view> seen;
        for (const JsonMember &member : item.members) {
            if (!seen.insert(member.key).second)
                notes_.refuse(member_path(path, member.key), "found twice");
            else
                read_member(member, member_path(path, member.key), row);
        }
        if (seen.contains("rate") && seen.contains("rateBitsPerSec"))
            notes_.refuse(path, "found rate and rateBitsPerSec; expected one of the two");
        for (const char *const key : {"source", "dest", "endTime"})
            if (!seen.contains(key)) notes_.refuse(member_path(path, key), "missing");
        for (const char *const key : {"startTime", "owlt"})
            if (!seen.contains(key)) notes_.note(member_path(path, key), "missing: 0, as in HDTN");
        if (!seen.contains("rateBitsPerSec") && !seen.contains("rate"))
            notes_.note(member_path(path, "rateBitsPerSec"), "missing: unlimited");
        return row;
    }

    void read_member(const JsonMember &member, const std::string &at, Row &row) {
        const auto &[key, value] = member;
        if (std::ranges::find(kIgnoredKeys, key) != std::end(kIgnoredKeys))
            return notes_.note(at, "routes come from the contacts, without flows");
        if (key == "contact") {
            if (const auto number = integer(value, at)) row.number = number;
        } else if (key == "source") {
            row.source = integer(value, at).value_or(0);
        } else if (key == "dest") {
            row.destination = integer(value, at).value_or(0);
        } else if (key == "startTime") {
            row.start = number(value, at);
        } else if (key == "endTime") {
            row.end = number(value, at);
        } else if (key == "owlt") {
            row.owlt = number(value, at);
        } else if (key == "rateBitsPerSec") {
            row.rate = integer(value, at).value_or(0);
        } else if (key == "rate") {
            read_old_rate(value, at, row);
        } else {
            notes_.refuse(at, "unknown key");
        }
    }

    void read_old_rate(const JsonValue &value, const std::string &at, Row &row) {
        const std::uint64_t rate = integer(value, at).value_or(0);
        row.rate = rate > kHighestRateBitsPerSecond / kBitsOfMbit ? kHighestRateBitsPerSecond
                                                                  : rate * kBitsOfMbit;
        notes_.change(at, "rateBitsPerSec: " + std::to_string(row.rate) + ", of " +
                              std::to_string(rate) + " Mbit/s");
    }

    /// Also in quotes, as some plans have it.
    std::optional<std::uint64_t> integer(const JsonValue &value, const std::string &at) {
        if (value.kind == Kind::kInteger) return value.integer;
        if (value.kind == Kind::kText) {
            std::uint64_t number = 0;
            const char *const end = value.text.data() + value.text.size();
            const auto parsed = std::from_chars(value.text.data(), end, number);
            if (parsed.ec == std::errc{} && parsed.ptr == end && !value.text.empty()) {
                notes_.change(at, std::to_string(number) + ", without the quotes");
                return number;
            }
        }
        notes_.refuse(at, "found " + value.describe() + "; expected an integer");
        return std::nullopt;
    }

    double number(const JsonValue &value, const std::string &at) {
        if (value.kind != Kind::kNumber) return static_cast<double>(integer(value, at).value_or(0));
        if (std::isfinite(value.number) && value.number >= 0) return value.number;
        notes_.refuse(at, "found " + value.describe() + "; expected a number from 0 on");
        return 0;
    }

    void keep(const Row &row, const std::string &path) {
        for (const auto &[key, node] :
             {std::pair{"source", row.source}, std::pair{"dest", row.destination}})
            if (node == 0)
                return notes_.refuse(member_path(path, key), "found 0; expected a node number");
        if (row.source == row.destination)
            return notes_.note(path,
                               "left out: from node " + std::to_string(row.source) + " to itself");
        if (row.end <= row.start)
            return notes_.note(path, "left out: it ends before it begins, or has no length");
        const auto start = time_of(row.start, member_path(path, "startTime"), false);
        const auto end = time_of(row.end, member_path(path, "endTime"), true);
        const auto owlt = owlt_of(row.owlt, member_path(path, "owlt"));
        if (!start || !end || !owlt) return;
        std::uint64_t rate = row.rate;
        if (rate > kHighestRateBitsPerSecond) {
            rate = kHighestRateBitsPerSecond;
            notes_.change(member_path(path, "rateBitsPerSec"),
                          std::to_string(rate) + ", the highest rate");
        }
        numbered_.push_back(row.number.has_value());
        plan_.contacts.push_back({row.number.value_or(0), NodeNumber{row.source},
                                  NodeNumber{row.destination}, *start, *end, BitRate{rate}, *owlt});
    }

    std::optional<DtnTime> time_of(double seconds, const std::string &at, bool may_be_cut) {
        constexpr double kMs = 1000;
        if (unix_) {
            if (seconds >= static_cast<double>(kUnixOfDtnEpoch) &&
                seconds <= static_cast<double>(kLatestUnixSecond))
                return static_cast<DtnTime>(
                    std::llround((seconds - static_cast<double>(kUnixOfDtnEpoch)) * kMs));
            notes_.refuse(at, "found " + std::to_string(std::llround(std::min(seconds, 1e18))) +
                                  "; expected Unix seconds from 946684800 (2000) to 4102444800 "
                                  "(2100), as --use-unix-timestamp has them");
            return std::nullopt;
        }
        if (seconds <= static_cast<double>(kLatestSecond))
            return static_cast<DtnTime>(std::llround(seconds * kMs));
        if (may_be_cut) {
            notes_.change(at, std::to_string(kLatestSecond) + " s, ten years from the start");
            return kLatestSecond * 1000;
        }
        notes_.refuse(at,
                      "found more than ten years from the start; for Unix seconds add "
                      "--use-unix-timestamp");
        return std::nullopt;
    }

    std::optional<Duration> owlt_of(double seconds, const std::string &at) {
        if (seconds <= static_cast<double>(kMaxOwltSeconds))
            return Duration{std::llround(seconds * 1e9)};
        notes_.refuse(at, "found more than " + std::to_string(kMaxOwltSeconds) + " s");
        return std::nullopt;
    }

    /// HDTN takes plans that repeat numbers.
    void renumber() {
        std::unordered_set<std::uint64_t> used;
        std::vector<std::size_t> without;
        for (std::size_t i = 0; i < plan_.contacts.size(); ++i)
            if (!numbered_[i] || !used.insert(plan_.contacts[i].id).second) without.push_back(i);
        std::uint64_t next = 0;
        for (const std::size_t i : without) {
            while (used.contains(next)) ++next;
            const std::string from = numbered_[i] ? std::to_string(plan_.contacts[i].id) +
                                                        ", which another contact has, "
                                                  : "a missing number ";
            plan_.contacts[i].id = next++;
            notes_.change("contacts", from + "becomes " + std::to_string(plan_.contacts[i].id) +
                                          ": " + words_of(plan_.contacts[i]));
        }
    }

    void split() {
        SplitPlan made = split_overlaps(plan_.contacts);
        for (const OverlapPiece &piece : made.pieces) {
            const PlanContact &contact = made.contacts[piece.place];
            std::string of;
            for (const std::uint64_t number : piece.of)
                of += (of.empty() ? "" : ", ") + std::to_string(number);
            if (piece.count > piece.of.size())
                of += " and " + std::to_string(piece.count - piece.of.size()) + " more";
            notes_.change("contacts", "of the overlapping " + of + ": contact " +
                                          std::to_string(contact.id) + ", " + words_of(contact));
        }
        plan_.contacts = std::move(made.contacts);
    }

    [[nodiscard]] std::string words_of(const PlanContact &contact) const {
        const auto owlt = static_cast<std::uint64_t>(contact.owlt.count());
        return "from node " + std::to_string(contact.source.value()) + " to node " +
               std::to_string(contact.destination.value()) + ", " +
               in_words({plan_.absolute, contact.start}) + " to " +
               in_words({plan_.absolute, contact.end}) + ", " +
               (contact.rate.value() == 0 ? std::string("unlimited")
                                          : std::to_string(contact.rate.value()) + " bit/s") +
               ", owlt " + decimal(owlt, 9) + " s";
    }

    bool unix_;
    HdtnNotes &notes_;
    ContactPlan plan_;
    std::vector<bool> numbered_;
};

}  // namespace

ContactPlan import_hdtn_plan(std::string_view text, bool unix_timestamps, HdtnNotes &notes) {
    return PlanReader(unix_timestamps, notes).read(text);
}

}  // namespace farlink::config
