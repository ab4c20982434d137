// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/contact_import.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "common/config/fields/instant.hpp"
#include "common/plan/contact_fields.hpp"
#include "common/plan/ion_plan.hpp"

namespace farlink::config {
namespace {

/// 7 of "line 7, column 14"; 0 if the place is no line.
std::size_t plan_line_of(std::string_view place) {
    constexpr std::string_view kLine = "line ";
    std::size_t line = 0;
    if (place.starts_with(kLine))
        std::from_chars(place.data() + kLine.size(), place.data() + place.size(), line);
    return line;
}

/// "found ...; expected ...", without the place in the text that was put together.
std::string plan_text_of(ConfigError error) {
    error.path.clear();
    return error.to_string();
}

class ContactImport {
public:
    ContactImport(const IonSource &source, const NodeDraft &draft, CommandVerdicts &verdicts,
                  ImportReport &report)
        : source_(source),
          commands_(draft.contact_commands),
          verdicts_(verdicts),
          report_(report) {}

    ContactPlan run(std::optional<DtnTime> now) {
        if (commands_.empty()) return {};
        auto plan = parse_ion_plan(text(), now);
        if (!plan) {
            tell(plan.error(), ImportOutcome::kRefused);
            return {};
        }
        tell(plan->notes, ImportOutcome::kNoted);
        if (plan->anchored && now)
            report_.add({ImportOutcome::kChanged,
                         {},
                         0,
                         "contact plan",
                         "has times in UTC as well: +seconds count from " + format_utc(*now)});
        return std::move(*plan);
    }

private:
    /// A line for each command, so that the number of a line is that of a command.
    [[nodiscard]] std::string text() const {
        std::string made;
        for (const CommandIndex each : commands_) {
            made += source_.commands()[each].text;
            made += '\n';
        }
        return made;
    }

    void tell(const ConfigErrors &errors, ImportOutcome outcome) {
        for (const ConfigError &error : errors.errors) {
            const std::size_t line = plan_line_of(error.path);
            if (line > 0 && line <= commands_.size())
                verdicts_.add(commands_[line - 1], outcome, with_lines(plan_text_of(error)));
            else
                report_.add({outcome, {}, 0, "contact plan", error.to_string()});
        }
        if (errors.omitted > 0)
            report_.add({outcome,
                         {},
                         0,
                         "contact plan",
                         std::to_string(errors.omitted) + " further lines of this kind"});
    }

    /// "line 7" in the text of an error becomes the place of that command.
    [[nodiscard]] std::string with_lines(std::string text) const {
        const std::size_t at = text.find("line ");
        if (at == std::string::npos) return text;
        const std::size_t line = plan_line_of(std::string_view(text).substr(at));
        if (line == 0 || line > commands_.size()) return text;
        const std::size_t length = std::string_view("line ").size() + std::to_string(line).size();
        return text.replace(at, length, verdicts_.place_of(commands_[line - 1]));
    }

    const IonSource &source_;
    const std::vector<CommandIndex> &commands_;
    CommandVerdicts &verdicts_;
    ImportReport &report_;
};

}  // namespace

ContactPlan import_contacts(const IonSource &source, const NodeDraft &draft,
                            std::optional<DtnTime> now, CommandVerdicts &verdicts,
                            ImportReport &report) {
    return ContactImport(source, draft, verdicts, report).run(now);
}

bool has_contact(const ContactPlan &plan, NodeNumber from, NodeNumber to) {
    return std::ranges::any_of(plan.contacts, [&](const PlanContact &contact) {
        return contact.source == from && contact.destination == to;
    });
}

void add_lasting_contact(ContactPlan &plan, NodeNumber from, NodeNumber to, BitRate rate) {
    PlanContact contact;
    for (const PlanContact &each : plan.contacts) contact.id = std::max(contact.id, each.id + 1);
    contact.source = from;
    contact.destination = to;
    contact.end = plan.absolute ? kLastUtc : DtnTime{kLatestSecond} * 1000;
    contact.rate = rate;
    plan.contacts.push_back(contact);
}

}  // namespace farlink::config
