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

/// "12" or "12.25" in units of 10^-digits; empty when it is finer, or does not fit.
std::optional<std::uint64_t> read_decimal(std::string_view text, std::size_t digits) {
    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
    const bool valid =
        all_digits(whole) && (point == std::string_view::npos || all_digits(fraction));
    if (!valid || fraction.find_last_not_of('0') + 1 > digits) return std::nullopt;
    fraction.resize(digits, '0');
    return read_number(std::string(whole) + fraction);
}

/// "2026/01/02-03:04:05", perhaps with a fraction
std::optional<DtnTime> read_utc(std::string_view text) {
    constexpr std::size_t kLength = 19;
    if (text.size() < kLength || text[4] != '/' || text[7] != '/' || text[10] != '-')
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
                                ", or a time in UTC such as 2026/01/02-03:04:05";
    if (text.starts_with('+')) {
        const auto elapsed = read_decimal(text.substr(1), 3);
        if (elapsed && *elapsed <= kLatestSecond * 1000) {
            const Instant found{reference.absolute, reference.milliseconds + *elapsed};
            if (found.milliseconds <= (found.absolute ? kLastUtc : kLatestSecond * 1000))
                return found;
        }
        wrong(index, allowed,
              elapsed || text.find('.') == std::string_view::npos
                  ? "Unix seconds are written as a time in UTC"
                  : std::string(kWholeMilliseconds),
              errors);
        return std::nullopt;
    }
    if (const auto time = read_utc(text)) return Instant{true, *time};
    wrong(index, allowed, all_digits(text) ? "seconds from the reference time begin with +" : "",
          errors);
    return std::nullopt;
}

std::optional<Duration> IonLine::duration(std::size_t index, std::uint64_t maximum,
                                          std::string_view unit, ConfigErrors &errors) const {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const auto value = read_decimal(word(index), 9);
    if (value && *value <= maximum * kSecond) return Duration{static_cast<std::int64_t>(*value)};
    wrong(index, "a number from 0 to " + std::to_string(maximum) + " (" + std::string(unit) + ')',
          "", errors);
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
    wrong(index, std::move(expected), "", errors);
    return std::nullopt;
}

}  // namespace farlink::config
