// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/contact_text.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "common/config/fields/instant.hpp"

namespace farlink::control {
namespace {

constexpr std::size_t kUsualBytes = 200;  ///< of a contact

/// What stands between the values.
struct TextMarks {
    std::string_view first_contact;
    std::string_view next_contact;
    std::string_view first_member;
    std::string_view next_member;
    std::string_view colon;
    std::string_view end_of_contact;
    std::string_view end_of_list;
};

constexpr TextMarks kOneLineMarks{"[{", ",{", "\"", ",\"", "\":", "}", "]"};
constexpr TextMarks kLinesMarks{"[\n  {", ",\n  {", "\n   \"", ",\n   \"", "\": ", "\n  }", "\n ]"};

/// Zero, the most frequent one, is not worth the general way.
std::string decimal_text(double value) {
    return value == 0 ? "0.0" : nlohmann::ordered_json(value).dump();
}

class ContactWriter {
public:
    ContactWriter(std::string &text, const TextMarks &marks) : text_(text), marks_(marks) {}

    void write(const config::PlanContact &contact) {
        constexpr double kNanoseconds = 1e9;
        constexpr double kMilliseconds = 1e3;
        separator_ = marks_.first_member;
        put("contact", std::to_string(contact.id));
        put("source", std::to_string(contact.source.value()));
        put("dest", std::to_string(contact.destination.value()));
        put_time("startTime", contact.start);
        put_time("endTime", contact.end);
        put("rateBitsPerSec", std::to_string(contact.rate.value()));
        put("owlt", decimal_text(static_cast<double>(contact.owlt.count()) / kNanoseconds));
        if (contact.periodic())
            put("repeatSeconds", decimal_text(static_cast<double>(contact.repeat) / kMilliseconds));
        if (contact.until != kDtnNever) put_time("until", contact.until);
        text_ += marks_.end_of_contact;
    }

private:
    void put(std::string_view key, std::string_view value) {
        text_.append(separator_).append(key).append(marks_.colon).append(value);
        separator_ = marks_.next_member;
    }
    void put_time(std::string_view key, DtnTime time) {
        put(key, "\"");
        text_.append(config::format_utc(time)) += '"';
    }

    std::string &text_;
    const TextMarks &marks_;
    std::string_view separator_;
};

}  // namespace

std::string contacts_text(const std::vector<config::PlanContact> &contacts, TextForm form) {
    if (contacts.empty()) return "[]";
    const TextMarks &marks = form == TextForm::kOneLine ? kOneLineMarks : kLinesMarks;
    std::string text;
    text.reserve(contacts.size() * kUsualBytes);
    ContactWriter writer(text, marks);
    std::string_view separator = marks.first_contact;
    for (const config::PlanContact &contact : contacts) {
        text += separator;
        writer.write(contact);
        separator = marks.next_contact;
    }
    text += marks.end_of_list;
    return text;
}

}  // namespace farlink::control
