// SPDX-License-Identifier: Apache-2.0
#include "common/plan/contact_plan.hpp"

#include <algorithm>
#include <utility>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/plan/ion_plan.hpp"
#include "common/plan/plan_checks.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kDtn = "dtn:";

/// The words of the JSON form.
class JsonWording : public PlanWording {
public:
    [[nodiscard]] std::string place(std::size_t row, PlanPart part) const override {
        const std::string contact = item_path("contacts", row);
        return part == PlanPart::kWhole ? contact : member_path(contact, name(part));
    }
    [[nodiscard]] std::string_view name(PlanPart part) const override {
        switch (part) {
            case PlanPart::kWhole:
                return "contact";
            case PlanPart::kNumber:
                return "contact";
            case PlanPart::kDestination:
                return "dest";
            case PlanPart::kStart:
                return "startTime";
            case PlanPart::kEnd:
                return "endTime";
            case PlanPart::kRate:
                return "rateBitsPerSec";
            case PlanPart::kRepeat:
                return "repeatSeconds";
            case PlanPart::kUntil:
                return "until";
        }
        return "";
    }
};

/// Each contact is checked as it is read: the document is never in memory as a whole.
std::vector<ContactRow> read_rows(std::string_view json, ConfigErrors &errors) {
    const SectionInfo &whole = contact_plan_table().info();
    SectionChecker checker(whole, errors.errors);
    std::vector<ContactRow> rows;
    const JsonStream stream{
        "contacts", [&](std::size_t index, const JsonValue &item) -> std::optional<ConfigError> {
            if (rows.size() == kMostContacts) return too_many_contacts("contacts");
            rows.push_back(contact_table().build(
                checker.check_part(contact_table().info(), item, item_path("contacts", index))));
            errors.trim();
            return std::nullopt;
        }};
    const auto document = parse_json(json, stream);
    if (document)
        (void)checker.check(*document);
    else
        // Before what was wrong until then: it may be the reason.
        errors.errors.insert(errors.errors.begin(), document.error());
    errors.trim();
    return rows;
}

/// The same for contacts that another parser has read.
std::vector<ContactRow> take_rows(std::size_t count, const NextContact &next,
                                  ConfigErrors &errors) {
    SectionChecker checker(contact_plan_table().info(), errors.errors);
    std::vector<ContactRow> rows;
    rows.reserve(std::min(count, kMostContacts));
    for (std::size_t i = 0; i < count && i < kMostContacts; ++i) {
        rows.push_back(contact_table().build(
            checker.check_part(contact_table().info(), next(i), item_path("contacts", i))));
        errors.trim();
    }
    if (count > kMostContacts)
        errors.errors.insert(errors.errors.begin(), too_many_contacts("contacts"));
    errors.trim();
    return rows;
}

/// The number of the node that is called so; 0: of none.
NodeNumber number_of(const std::string &name, std::span<const NodeEndpoints> names) {
    const std::string_view node = bp::dtn_node_of(std::string_view(name).substr(kDtn.size()));
    for (const NodeEndpoints &known : names)
        for (const std::string &text : known.endpoints) {
            const auto pattern = bp::EidPattern::parse(text);
            if (pattern && pattern->dtn_node() == node) return known.node;
        }
    return {};
}

void number_nodes(std::vector<ContactRow> &rows, std::span<const NodeEndpoints> names,
                  ConfigErrors &errors) {
    const auto number = [&](std::size_t row, const char *key, const std::string &name,
                            NodeNumber &to) {
        if (name.empty()) return;
        to = number_of(name, names);
        if (to == NodeNumber{})
            errors.errors.push_back({member_path(item_path("contacts", row), key),
                                     "found \"" + name + "\", which names no node",
                                     "a name of nodeEndpoints in the node's configuration, or a "
                                     "number",
                                     {}});
    };
    for (std::size_t row = 0; row < rows.size(); ++row) {
        number(row, "source", rows[row].source_name, rows[row].contact.source);
        number(row, "dest", rows[row].destination_name, rows[row].contact.destination);
    }
    errors.trim();
}

/// The plan of rows in which `errors` were found.
Result<ContactPlan, ConfigErrors> plan_of(std::vector<ContactRow> rows, ConfigErrors errors,
                                          std::span<const NodeEndpoints> names) {
    number_nodes(rows, names, errors);
    check_plan(rows, JsonWording(), errors);
    if (!errors.empty()) return fail(std::move(errors));

    ContactPlan plan;
    plan.contacts.reserve(rows.size());
    for (const ContactRow &row : rows) {
        PlanContact &contact = plan.contacts.emplace_back(row.contact);
        contact.start = row.start->milliseconds;
        contact.end = row.end->milliseconds;
        contact.repeat = whole_milliseconds_of(row.repeat);
        if (row.until) contact.until = row.until->milliseconds;
        plan.absolute = row.start->absolute;
    }
    return plan;
}

Result<ContactPlan, ConfigErrors> parse_json_plan(std::string_view json,
                                                  std::span<const NodeEndpoints> names) {
    ConfigErrors errors;
    std::vector<ContactRow> rows = read_rows(json, errors);
    return plan_of(std::move(rows), std::move(errors), names);
}

}  // namespace

std::vector<PlanContact> ContactPlan::resolve(DtnTime plan_start) const {
    std::vector<PlanContact> resolved = contacts;
    if (absolute) return resolved;
    for (PlanContact &contact : resolved) {
        contact.start = saturating_add(plan_start, contact.start);
        contact.end = saturating_add(plan_start, contact.end);
        contact.until = saturating_add(plan_start, contact.until);
    }
    return resolved;
}

Result<ContactPlan, ConfigErrors> parse_contact_plan(std::string_view text,
                                                     std::optional<DtnTime> start,
                                                     std::span<const NodeEndpoints> names) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos)
        return fail(ConfigErrors{"", {{"", "the file is empty", "a contact plan", ""}}});
    const bool json = text[begin] == '{' || text[begin] == '[';
    return json ? parse_json_plan(text, names) : parse_ion_plan(text, start);
}

Result<ContactPlan, ConfigErrors> take_contact_plan(std::size_t count, const NextContact &next) {
    ConfigErrors errors;
    std::vector<ContactRow> rows = take_rows(count, next, errors);
    return plan_of(std::move(rows), std::move(errors), {});
}

Result<ContactPlan, ConfigErrors> load_contact_plan(const std::string &path,
                                                    std::optional<DtnTime> start,
                                                    std::span<const NodeEndpoints> names) {
    const auto text = read_text_file(path);
    if (!text) return fail(ConfigErrors{path, {text.error()}});
    auto plan = parse_contact_plan(*text, start, names);
    if (plan)
        plan->notes.source = path;
    else
        plan.error().source = path;
    return plan;
}

}  // namespace farlink::config
