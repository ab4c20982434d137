// SPDX-License-Identifier: Apache-2.0
#include "common/plan/ion_plan.hpp"

#include <utility>

#include "common/plan/ion_commands.hpp"
#include "common/plan/ion_ranges.hpp"
#include "common/plan/plan_checks.hpp"

namespace farlink::config {
namespace {

/// Names and places in ION's form: for each contact the line of its `a contact`.
class IonWording : public PlanWording {
public:
    explicit IonWording(const std::vector<const IonCommands::Entry *> &entries)
        : entries_(entries) {}

    [[nodiscard]] std::string place(std::size_t row, PlanPart part) const override {
        const IonCommands::Entry &entry = *entries_[row];
        return IonLine(entry.text, entry.line).place(word_of(part));
    }
    [[nodiscard]] std::string_view name(PlanPart part) const override {
        return part == PlanPart::kRate ? "the rate in bit/s" : "the start";
    }

private:
    static std::size_t word_of(PlanPart part) {
        switch (part) {
            case PlanPart::kWhole:
            case PlanPart::kNumber:
            case PlanPart::kRepeat:  // no command repeats a contact
            case PlanPart::kUntil:
                return 0;
            case PlanPart::kStart:
                return 2;
            case PlanPart::kEnd:
                return 3;
            case PlanPart::kDestination:
                return 5;
            case PlanPart::kRate:
                return 6;
        }
        return 0;
    }

    const std::vector<const IonCommands::Entry *> &entries_;
};

class IonPlan {
public:
    explicit IonPlan(std::string_view text, Instant reference = {}) {
        commands_.count_from(reference);
        read_lines(text);
    }

    /// Whether there are times of both forms.
    [[nodiscard]] bool mixed() const {
        bool utc = false;
        bool relative = false;
        const auto note = [&](const std::optional<Instant> &time) {
            utc = utc || (time && time->absolute);
            relative = relative || (time && !time->absolute);
        };
        for (const auto *entries : {&commands_.contacts(), &commands_.ranges()})
            for (const IonCommands::Entry &entry : *entries) {
                if (entry.deleted) continue;
                note(entry.row.start);
                note(entry.row.end);
            }
        return utc && relative;
    }

    Result<ContactPlan, ConfigErrors> result() {
        std::vector<ContactRow> rows;
        for (const IonCommands::Entry &entry : commands_.contacts()) {
            if (entry.deleted) continue;
            entries_.push_back(&entry);
            rows.push_back(entry.row);
        }
        check_plan(rows, IonWording(entries_), commands_.errors);
        const IonRanges ranges = ranges_of(rows);
        if (!commands_.errors.empty()) return fail(std::move(commands_.errors));
        ContactPlan plan;
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (!add_pieces(i, rows[i], ranges, plan)) return fail(std::move(commands_.errors));
        plan.notes = std::move(commands_.notes);
        return plan;
    }

private:
    void read_lines(std::string_view text) {
        std::size_t number = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = text.find('\n', at);
            const std::string_view line = text.substr(at, end - at);
            const IonLine words(line, ++number);
            if (!commands_.read(words, line)) return;
            if (end == std::string_view::npos) {
                // A truncated number is still a number: `1000` of `100000`.
                commands_.errors.add({words.place(words.size()), "the file ends within a line",
                                      "an end of line", "the file may be truncated"});
                return;
            }
            at = end + 1;
        }
        if (!commands_.any())
            commands_.errors.add({"", "the file contains no command",
                                  "`a contact` and `a range`, or a plan in JSON",
                                  "a plan without contacts contains `m horizon 0`"});
    }

    IonRanges ranges_of(const std::vector<ContactRow> &rows) {
        const bool absolute = !rows.empty() && rows.front().start && rows.front().start->absolute;
        std::vector<IonRange> ranges;
        std::vector<const IonCommands::Entry *> entries;
        for (const IonCommands::Entry &entry : commands_.ranges()) {
            const ContactRow &row = entry.row;
            if (entry.deleted || !row.start || !row.end) continue;
            const bool other = row.start->absolute != absolute || row.end->absolute != absolute;
            if (other && !rows.empty()) {
                commands_.errors.add({IonLine(entry.text, entry.line).place(2),
                                      "a range in another form of time than the first contact",
                                      "one form in the whole plan", ""});
                continue;
            }
            ranges.push_back({row.contact.source, row.contact.destination, row.start->milliseconds,
                              row.end->milliseconds, row.contact.owlt, entry.line});
        }
        IonRanges made(std::move(ranges));
        for (const RangeConflict &conflict : made.conflicts())
            commands_.errors.add(
                {"line " + std::to_string(conflict.later.line) + ", column 1",
                 "overlaps the range in line " + std::to_string(conflict.earlier.line),
                 "one range at a time from one node to another",
                 "they contradict each other: " + owlt_of(conflict.earlier) + " there and " +
                     owlt_of(conflict.later) + " here"});
        return made;
    }

    static std::string owlt_of(const IonRange &range) {
        return decimal(static_cast<std::uint64_t>(range.owlt.count()), 9) + " s";
    }

    /// Adds the contact, split where its light time changes. False if there are too many.
    bool add_pieces(std::size_t row, const ContactRow &of, const IonRanges &ranges,
                    ContactPlan &plan) {
        plan.absolute = of.start->absolute;
        bool covered = true;
        for (const IonRanges::Piece &piece :
             ranges.pieces(of.contact.source, of.contact.destination, of.start->milliseconds,
                           of.end->milliseconds)) {
            if (plan.contacts.size() == kMostContacts) {
                commands_.errors.add(too_many_contacts(place(row)));
                return false;
            }
            PlanContact &contact = plan.contacts.emplace_back(of.contact);
            contact.id = plan.contacts.size() - 1;
            contact.start = piece.start;
            contact.end = piece.end;
            contact.owlt = piece.owlt;
            if (!piece.known && covered)
                commands_.notes.add({place(row),
                                     "no range gives the one-way light time from " +
                                         in_words({plan.absolute, piece.start}) + " to " +
                                         in_words({plan.absolute, piece.end}),
                                     "", "0 is used"});
            covered = covered && piece.known;
        }
        return true;
    }

    [[nodiscard]] std::string place(std::size_t row) const {
        return IonWording(entries_).place(row, PlanPart::kWhole);
    }

    IonCommands commands_;
    std::vector<const IonCommands::Entry *> entries_;  ///< of each row
};

}  // namespace

Result<ContactPlan, ConfigErrors> parse_ion_plan(std::string_view text,
                                                 std::optional<DtnTime> start) {
    IonPlan as_written(text);
    if (!start || !as_written.mixed()) return as_written.result();
    auto plan = IonPlan(text, Instant{true, *start}).result();
    if (plan) plan->anchored = true;
    return plan;
}

}  // namespace farlink::config
