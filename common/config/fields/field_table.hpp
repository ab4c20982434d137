// SPDX-License-Identifier: Apache-2.0
// One table per section of the configuration: each field's key, type, unit, default, range, help
// and setter. Constant after start-up, made by the *_fields.cpp files; any thread.
// They are the only source of checks, defaults, the JSON Schema and the guide's reference.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::config {

enum class FieldKind : std::uint8_t {
    kInteger,  ///< std::uint64_t from minimum to maximum
    kSeconds,  ///< Duration; a number of seconds from minimum to maximum, fractions allowed
    kInstant,  ///< Instant; seconds up to maximum, fractions allowed, or ISO 8601 text
    kBoolean,
    kText,     ///< std::string, not empty
    kTexts,    ///< std::vector<std::string>, none of them empty
    kChoice,   ///< std::string, one of `choices`
    kLinkUrl,  ///< LinkUrl
    kObject,   ///< Object, described by `section`
    kList,     ///< List of objects, each described by `section`
};

struct SectionInfo;

/// The default of a field as a JSON value; empty if there is none.
using Fallback = std::variant<std::monostate, std::uint64_t, bool, std::string_view>;

/// The properties of a field in a configuration file.
struct FieldInfo {
    std::string_view key{};
    FieldKind kind = FieldKind::kText;
    bool required = false;
    std::string_view unit{};
    std::uint64_t minimum = 0;
    std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max();
    Fallback fallback{};
    std::string_view no_fallback_for{};   ///< of a link: the scheme without the default
    std::string_view computed_default{};  ///< describes a default that is not constant
    std::vector<std::string_view> choices{};
    std::span<const std::string_view> schemes{};  ///< of a link: those that use it; empty: all
    const SectionInfo *section = nullptr;         ///< of kObject and kList
    std::string_view help{};
};

struct SectionInfo {
    std::string_view title;  ///< as a JSON path: "inductsConfig[]"; of the whole: its file's name
    std::string_view help;
    std::vector<FieldInfo> fields;
    std::string_view link{};  ///< of a section that describes a link: "induct" or "outduct"
};

/// A moment of a contact plan: milliseconds from the plan's start, or DTN milliseconds.
struct Instant {
    bool absolute = false;
    std::uint64_t milliseconds = 0;
    friend bool operator==(const Instant &, const Instant &) = default;
};

struct Value;

/// The values of a section, in the order of its fields; an invalid value is empty.
struct Object {
    std::vector<Value> values;
    std::vector<bool> given{};  ///< by field: the value is not a default
};
using List = std::vector<Object>;

/// A checked value, defaults filled in.
struct Value {
    std::variant<std::monostate, std::uint64_t, bool, std::string, std::vector<std::string>,
                 LinkUrl, Duration, Instant, Object, List>
        data;

    [[nodiscard]] bool empty() const { return std::holds_alternative<std::monostate>(data); }
    template <class T>
    [[nodiscard]] const T &as() const {
        return std::get<T>(data);
    }
    /// An integer whose field's maximum fits into T.
    template <class T>
    [[nodiscard]] T number() const {
        return static_cast<T>(std::get<std::uint64_t>(data));
    }
    [[nodiscard]] Duration as_milliseconds() const { return milliseconds(number<std::int64_t>()); }
};

/// Copies a value into a member of its type. A number becomes whatever number the member is, and
/// milliseconds a Duration.
template <class Member>
void assign_value(Member &member, const Value &value) {
    if constexpr (std::is_same_v<Member, Duration>) {
        const auto *duration = std::get_if<Duration>(&value.data);
        member = duration != nullptr ? *duration : value.as_milliseconds();
    } else if constexpr (std::is_same_v<Member, bool>) {
        member = value.as<bool>();
    } else if constexpr (std::is_unsigned_v<Member>) {
        member = value.number<Member>();
    } else if constexpr (std::is_same_v<Member, NodeNumber> || std::is_same_v<Member, BitRate>) {
        member = Member{value.as<std::uint64_t>()};
    } else {
        member = value.as<Member>();
    }
}
template <class Member>
void assign_value(std::optional<Member> &member, const Value &value) {
    assign_value(member.emplace(), value);
}

/// The member at the end of a path of member pointers.
template <class Section>
Section &member_at(Section &section) {
    return section;
}
template <class Section, class First, class... Rest>
auto &member_at(Section &section, First first, Rest... rest) {
    return member_at(section.*first, rest...);
}

template <class Section>
struct Field {
    using Assign = std::function<void(Section &, const Value &)>;

    /// `setter` converts the value.
    Field(FieldInfo about, Assign setter) : info(std::move(about)), assign(std::move(setter)) {}

    /// The value is copied into a member, or into a member of a member:
    /// `&LinkOptions::tls, &TlsConfig::key_file`.
    template <class Owner, class First, class... Rest>
        requires std::is_base_of_v<Owner, Section>
    Field(FieldInfo about, First Owner::*first, Rest... rest)
        : info(std::move(about)), assign([first, rest...](Section &to, const Value &value) {
              assign_value(member_at(to, first, rest...), value);
          }) {}

    FieldInfo info;
    Assign assign;
};

/// Appends the fields `more`, which may be those of a base of `Section`.
template <class Section, class Base>
void append_fields(std::vector<Field<Section>> &fields, std::vector<Field<Base>> more) {
    for (Field<Base> &field : more)
        fields.push_back({std::move(field.info), std::move(field.assign)});
}

/// The table of one section; builds the section's struct from checked values.
template <class Section>
class Table {
public:
    Table(std::string_view title, std::string_view help, std::vector<Field<Section>> fields,
          std::string_view link = {})
        : info_{title, help, {}, link} {
        for (Field<Section> &field : fields) {
            info_.fields.push_back(std::move(field.info));
            assign_.push_back(std::move(field.assign));
        }
    }

    [[nodiscard]] const SectionInfo &info() const { return info_; }

    /// Fields without a value keep the struct's initial value.
    [[nodiscard]] Section build(const Object &object) const {
        Section section{};
        for (std::size_t i = 0; i < object.values.size(); ++i)
            if (!object.values[i].empty()) assign_[i](section, object.values[i]);
        if constexpr (requires { section.given_keys; })
            for (std::size_t i = 0; i < object.given.size(); ++i)
                if (object.given[i]) section.given_keys.push_back(info_.fields[i].key);
        return section;
    }
    [[nodiscard]] std::vector<Section> build_all(const List &list) const {
        std::vector<Section> sections;
        sections.reserve(list.size());
        for (const Object &object : list) sections.push_back(build(object));
        return sections;
    }

private:
    SectionInfo info_;
    std::vector<std::function<void(Section &, const Value &)>> assign_;
};

}  // namespace farlink::config
