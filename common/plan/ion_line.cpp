// SPDX-License-Identifier: Apache-2.0
#include "common/plan/ion_line.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kDigits = "0123456789";

bool all_digits(std::string_view text) {
    return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// A number of any length; empty when it does not fit.
std::optional<std::uint64_t> read_number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// "2026/01/02-03:04:05"
std::optional<DtnTime> read_utc(std::string_view text) {
    constexpr std::size_t kLength = 19;
    if (text.size() != kLength || text[4] != '/' || text[7] != '/' || text[10] != '-')
        return std::nullopt;
    std::string iso(text);
    iso[4] = iso[7] = '-';
    iso[10] = 'T';
    return parse_utc(iso + 'Z');
}

}  // namespace

IonLine::IonLine(std::string_view text, std::size_t number) : text_(text), number_(number) {
    std::size_t at = text.find_first_not_of(kBlanks);
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        if (size_ < kMostWords) words_[size_] = text.substr(at, end - at);
        ++size_;
        at = text.find_first_not_of(kBlanks, end);
    }
}

std::string_view IonLine::word(std::size_t index) const {
    return index < std::min(size_, kMostWords) ? words_[index] : std::string_view{};
}

std::string IonLine::place(std::size_t index) const {
    std::size_t column = text_.find_last_not_of(kBlanks) + 2;  // npos + 2 is 1
    if (index < std::min(size_, kMostWords))
        column = static_cast<std::size_t>(words_[index].data() - text_.data()) + 1;
    return "line " + std::to_string(number_) + ", column " + std::to_string(column);
}

void IonLine::wrong(std::size_t index, std::string expected, std::string hint,
                    ConfigErrors &errors) const {
    const bool there = index < size_;
    errors.add({place(index), there ? "found " + in_quotes(word(index)) : "missing",
                std::move(expected), std::move(hint)});
}

std::optional<Instant> IonLine::instant(std::size_t index, const Instant &reference,
                                        ConfigErrors &errors) const {
    const std::string_view text = word(index);
    const std::string allowed = "+seconds up to +" + std::to_string(kLatestSecond) +
                                ", or a time in UTC like 2026/01/02-03:04:05";
    if (text.starts_with('+') && all_digits(text.substr(1))) {
        const auto seconds = read_number(text.substr(1));
        if (seconds && *seconds <= kLatestSecond) {
            const Instant found{reference.absolute, reference.milliseconds + *seconds * 1000};
            if (found.milliseconds <= (found.absolute ? kLastUtc : kLatestSecond * 1000))
                return found;
        }
        wrong(index, allowed, "Unix seconds are written as a time in UTC", errors);
        return std::nullopt;
    }
    if (const auto time = read_utc(text)) return Instant{true, *time};
    std::string hint;
    if (all_digits(text)) hint = "seconds from the reference time begin with +";
    if (text.starts_with('+') && text.find('.') != std::string_view::npos)
        hint = "ION counts whole seconds; the JSON form of a plan has fractions";
    wrong(index, allowed, std::move(hint), errors);
    return std::nullopt;
}

std::optional<std::uint64_t> IonLine::number(std::size_t index, std::uint64_t minimum,
                                             std::uint64_t maximum, std::string_view unit,
                                             ConfigErrors &errors) const {
    const std::string_view text = word(index);
    const auto value = all_digits(text) ? read_number(text) : std::nullopt;
    if (value && *value >= minimum && *value <= maximum) return value;
    std::string expected =
        "a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum);
    if (!unit.empty()) expected += " (" + std::string(unit) + ')';
    const bool fraction = text.find('.') != std::string_view::npos && unit.starts_with("seconds");
    wrong(index, std::move(expected),
          fraction ? "ION counts whole seconds; the JSON form of a plan has fractions" : "",
          errors);
    return std::nullopt;
}

}  // namespace farlink::config
