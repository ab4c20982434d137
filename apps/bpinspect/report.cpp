// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/report.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/bpinspect/core/inspect.hpp"
#include "apps/bpinspect/core/octet_text.hpp"
#include "common/json/exact_number.hpp"

namespace farlink::inspect {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShortTextOctets = 8;
constexpr std::size_t kShortJsonOctets = 64;
constexpr std::size_t kLineOctets = 32;

ByteView octets_at(ByteView all, OctetRange range) {
    const std::uint64_t at = std::min<std::uint64_t>(range.at, all.size());
    return all.subspan(at, std::min<std::uint64_t>(range.size, all.size() - at));
}

const char *kind_name(const Inspection &inspection) {
    return inspection.is_record ? "record" : "bundle";
}

std::string value_text(const Value &value) {
    if (const auto *number = std::get_if<std::uint64_t>(&value)) return std::to_string(*number);
    if (const auto *flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
    const auto *text = std::get_if<std::string>(&value);
    return text == nullptr ? std::string() : printable(*text, 2000);
}

std::string plural(std::uint64_t count, const char *what) {
    return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

std::string verdict(const Inspection &inspection) {
    const DeviationCount &counts = inspection.counts;
    std::string text = counts.required == 0 ? "conforms" : plural(counts.required, "deviation");
    if (counts.advised != 0) text += ", " + plural(counts.advised, "remark");
    if (inspection.security && inspection.security->failed()) text += ", security failed";
    return text;
}

std::string result_text(const CheckedOperation &operation) {
    switch (operation.outcome) {
        case SecurityOutcome::kGood:
            return std::string(operation.encrypts ? "decrypted" : "valid") + " with key " +
                   operation.key;
        case SecurityOutcome::kUnchecked:
            return "not checked, " + operation.fault;
        case SecurityOutcome::kFailed:
            break;
    }
    return "FAILED, " + operation.fault;
}

/// A line for each operation.
std::string security_text(const SecurityResult &security) {
    if (!security.fault.empty()) return "security: FAILED, " + security.fault + '\n';
    if (security.operations.empty()) return "security: no operations\n";
    std::string text;
    for (const CheckedOperation &each : security.operations)
        text += "security: block " + std::to_string(each.block) +
                (each.encrypts ? " encrypts block " : " signs block ") +
                std::to_string(each.target) + " (" + each.target_name + "): " + result_text(each) +
                '\n';
    return text;
}

std::string place(std::uint64_t value, int width) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%*llu", width, static_cast<unsigned long long>(value));
    return text.data();
}

void add_octet_lines(std::string &to, ByteView octets) {
    for (std::size_t at = 0; at < octets.size(); at += kLineOctets)
        to += std::string(16, ' ') +
              hex_text(octets.subspan(at, std::min(kLineOctets, octets.size() - at)), kLineOctets) +
              '\n';
}

void add_field(std::string &to, const Field &field, ByteView all, std::size_t depth,
               const ReportOptions &options) {
    const ByteView octets = octets_at(all, field.octets);
    std::string hex = hex_text(octets, kShortTextOctets);
    hex.resize(2 * kShortTextOctets + 3, ' ');
    to += place(field.octets.at, 7) + ' ' + place(field.octets.size, 7) + "  " + hex + "  " +
          std::string(2 * depth, ' ') + field.name;
    const std::string value = value_text(field.value);
    if (!value.empty()) to += ": " + value;
    if (!field.meaning.empty())
        to += (value.empty() ? ": " : " (") + field.meaning + (value.empty() ? "" : ")");
    to += '\n';
    if (options.all_octets && field.fields.empty() && octets.size() > kShortTextOctets)
        add_octet_lines(to, octets);
    for (const Field &each : field.fields) add_field(to, each, all, depth + 1, options);
}

std::string range_text(OctetRange range) {
    if (range.size == 0) return "at octet " + std::to_string(range.at);
    if (range.size == 1) return "octet " + std::to_string(range.at);
    return "octets " + std::to_string(range.at) + " to " + std::to_string(range.end() - 1);
}

Json value_json(const Value &value) {
    if (const auto *number = std::get_if<std::uint64_t>(&value)) return exact_json(*number);
    if (const auto *flag = std::get_if<bool>(&value)) return *flag;
    const auto *text = std::get_if<std::string>(&value);
    return text == nullptr ? Json() : Json(printable(*text, 100'000));
}

Json field_json(const Field &field, ByteView all, const ReportOptions &options) {
    Json json{
        {"name", key_of(field.name)}, {"offset", field.octets.at}, {"bytes", field.octets.size}};
    if (field.value.index() != 0) json["value"] = value_json(field.value);
    if (!field.meaning.empty()) json["meaning"] = field.meaning;
    if (field.fields.empty()) {
        const ByteView octets = octets_at(all, field.octets);
        if (options.all_octets || octets.size() <= kShortJsonOctets)
            json["octets"] = hex_text(octets, octets.size());
        return json;
    }
    Json fields = Json::array();
    for (const Field &each : field.fields) fields.push_back(field_json(each, all, options));
    json["fields"] = std::move(fields);
    return json;
}

Json security_json(const SecurityResult &security) {
    Json list = Json::array();
    for (const CheckedOperation &each : security.operations) {
        Json json{{"service", each.encrypts ? "confidentiality" : "integrity"},
                  {"block", exact_json(each.block)},
                  {"target", exact_json(each.target)},
                  {"targetName", key_of(each.target_name)}};
        const bool good = each.outcome == SecurityOutcome::kGood;
        json["result"] = good ? (each.encrypts ? "decrypted" : "valid")
                         : each.outcome == SecurityOutcome::kUnchecked ? "notChecked"
                                                                       : "failed";
        if (good)
            json["key"] = each.key;
        else
            json["fault"] = each.fault;
        list.push_back(std::move(json));
    }
    return list;
}

Json head_json(const Inspection &inspection, ByteView octets, std::string_view where) {
    Json json{{"type", kind_name(inspection)}};
    if (!where.empty()) json["where"] = where;
    json["version"] = inspection.version;
    if (inspection.id) json["id"] = printable(bp::to_string(*inspection.id), 100'000);
    if (inspection.destination) json["destination"] = printable(*inspection.destination, 100'000);
    if (inspection.subject_id)
        json["subjectId"] = printable(bp::to_string(*inspection.subject_id), 100'000);
    json["bytes"] = octets.size();
    json["conforms"] = inspection.conforms();
    if (!inspection.is_record) {
        Json blocks = Json::array();
        for (const std::string &name : inspection.block_names) blocks.push_back(key_of(name));
        json["blocks"] = std::move(blocks);
    }
    if (inspection.security) {
        json["security"] = security_json(*inspection.security);
        json["securityFailed"] = inspection.security->failed();
        if (!inspection.security->fault.empty()) json["securityFault"] = inspection.security->fault;
    }
    return json;
}

Json deviations_json(const Inspection &inspection) {
    Json list = Json::array();
    for (const Deviation &each : inspection.deviations)
        list.push_back({{"offset", each.octets.at},
                        {"bytes", each.octets.size},
                        {"section", each.section},
                        {"what", each.what},
                        {"required", each.weight == Weight::kRequirement}});
    return list;
}

}  // namespace

std::string key_of(std::string_view name) {
    std::string key;
    bool first_word = true;
    bool begins = false;
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) == 0) {
            // "subject's source" is "subjectsSource".
            begins = begins || c != '\'';
            first_word = first_word && !begins;
            continue;
        }
        // "CRC type" is "crcType".
        const int shown = first_word ? std::tolower(letter)
                          : begins   ? std::toupper(letter)
                                     : letter;
        key += static_cast<char>(shown);
        begins = false;
    }
    return key;
}

std::string summary_text(const Inspection &inspection, ByteView octets, std::string_view where) {
    std::string text = where.empty() ? std::string() : std::string(where) + ": ";
    text += inspection.is_record ? "administrative record" : "bundle";
    if (inspection.id) text += ' ' + printable(bp::to_string(*inspection.id), 2000);
    if (inspection.destination) text += " to " + printable(*inspection.destination, 2000);
    if (inspection.subject_id)
        text += " about " + printable(bp::to_string(*inspection.subject_id), 2000);
    return text + ", BPv" + std::to_string(inspection.version) + ", " +
           plural(octets.size(), "octet") + ", " + verdict(inspection) + '\n';
}

std::string report_text(const Inspection &inspection, ByteView octets, std::string_view where,
                        const ReportOptions &options) {
    std::string text = summary_text(inspection, octets, where);
    text += "     at  octets  first octets         field\n";
    add_field(text, inspection.root, octets, 0, options);
    for (const Deviation &each : inspection.deviations)
        text += std::string(each.weight == Weight::kRequirement ? "deviation: " : "remark: ") +
                each.section + ", " + range_text(each.octets) + ": " + each.what + '\n';
    if (inspection.unlisted() != 0)
        text += "and " + std::to_string(inspection.unlisted()) + " more\n";
    if (!inspection.security) return text;
    text += security_text(*inspection.security);
    if (const Bytes &inner = inspection.security->decrypted; !inner.empty())
        text += "decrypted: " + report_text(inspect(inner, Kind::kBundle7), inner, {}, options);
    return text;
}

std::string summary_json(const Inspection &inspection, ByteView octets, std::string_view where) {
    Json json = head_json(inspection, octets, where);
    json["deviations"] = deviations_json(inspection);
    json["moreDeviations"] = inspection.unlisted();
    return json.dump() + '\n';
}

namespace {

Json whole_json(const Inspection &inspection, ByteView octets, std::string_view where,
                const ReportOptions &options) {
    Json json = head_json(inspection, octets, where);
    json["deviations"] = deviations_json(inspection);
    json["moreDeviations"] = inspection.unlisted();
    json["fields"] = field_json(inspection.root, octets, options)["fields"];
    return json;
}

}  // namespace

std::string report_json(const Inspection &inspection, ByteView octets, std::string_view where,
                        const ReportOptions &options) {
    Json json = whole_json(inspection, octets, where, options);
    if (inspection.security && !inspection.security->decrypted.empty()) {
        const Bytes &inner = inspection.security->decrypted;
        json["decrypted"] = whole_json(inspect(inner, Kind::kBundle7), inner, {}, options);
    }
    return json.dump() + '\n';
}

}  // namespace farlink::inspect
