// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/instant.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace farlink::config {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year;
using std::chrono::year_month_day;

constexpr sys_days kDtnEpoch = sys_days{year{2000} / 1 / 1};

/// Reads digits where `pattern` has '0' and the same character elsewhere.
bool fits(std::string_view text, std::string_view pattern) {
    if (text.size() < pattern.size()) return false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
    }
    return true;
}

unsigned digits(std::string_view text, std::size_t from, std::size_t count) {
    unsigned value = 0;
    for (const char c : text.substr(from, count))
        value = value * 10 + static_cast<unsigned>(c - '0');
    return value;
}

/// Writes the last `count` digits of `value` in front of `end`.
void put_digits(char *end, unsigned value, std::size_t count) {
    for (; count > 0; --count, value /= 10) *--end = static_cast<char>('0' + value % 10);
}

/// Milliseconds of ".5Z", ".123000Z" or "Z"; empty for any other rest of the text.
std::optional<unsigned> fraction_ms(std::string_view rest) {
    if (!rest.ends_with('Z')) return std::nullopt;
    rest.remove_suffix(1);
    if (rest.empty()) return 0;
    if (rest.front() != '.' || rest.size() < 2 || rest.size() > 10) return std::nullopt;
    rest.remove_prefix(1);
    unsigned value = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (rest[i] < '0' || rest[i] > '9') return std::nullopt;
        if (i >= 3 && rest[i] != '0') return std::nullopt;
        if (i < 3) value = value * 10 + static_cast<unsigned>(rest[i] - '0');
    }
    for (std::size_t i = rest.size(); i < 3; ++i) value *= 10;
    return value;
}

}  // namespace

std::optional<DtnTime> parse_utc(std::string_view text) {
    constexpr std::string_view kPattern = "0000-00-00T00:00:00";
    if (!fits(text, kPattern)) return std::nullopt;
    const auto fraction = fraction_ms(text.substr(kPattern.size()));
    const year_month_day date{year{static_cast<int>(digits(text, 0, 4))},
                              std::chrono::month{digits(text, 5, 2)},
                              std::chrono::day{digits(text, 8, 2)}};
    const unsigned hour = digits(text, 11, 2);
    const unsigned minute = digits(text, 14, 2);
    const unsigned second = digits(text, 17, 2);
    if (!fraction || !date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
    if (sys_days{date} < kDtnEpoch) return std::nullopt;
    const auto day_count = static_cast<DtnTime>((sys_days{date} - kDtnEpoch).count());
    return ((day_count * 24 + hour) * 60 + minute) * 60'000 + second * 1000 + *fraction;
}

std::optional<std::uint64_t> whole_milliseconds(double seconds) {
    constexpr double kNanosecond = 1e-6;  // in milliseconds
    constexpr double kRounding = 1e-15;   // a few units in the last place
    const double exact = seconds * 1000;
    const double whole = std::round(exact);
    if (std::abs(exact - whole) > kNanosecond + exact * kRounding) return std::nullopt;
    return static_cast<std::uint64_t>(whole);
}

std::string format_utc(DtnTime time) {
    constexpr DtnTime kDayMs = 86'400'000;
    const year_month_day date{kDtnEpoch + days{static_cast<std::int64_t>(time / kDayMs)}};
    const auto of_day = static_cast<unsigned>(time % kDayMs);
    const int year = static_cast<int>(date.year());
    if (year >= 0 && year <= 9999) {
        std::string text = "0000-00-00T00:00:00.000Z";
        put_digits(&text[4], static_cast<unsigned>(year), 4);
        put_digits(&text[7], static_cast<unsigned>(date.month()), 2);
        put_digits(&text[10], static_cast<unsigned>(date.day()), 2);
        put_digits(&text[13], of_day / 3'600'000, 2);
        put_digits(&text[16], of_day / 60'000 % 60, 2);
        put_digits(&text[19], of_day / 1000 % 60, 2);
        put_digits(&text[23], of_day % 1000, 3);
        return text;
    }
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02u:%02u:%02u.%03uZ", year,
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  of_day / 3'600'000, of_day / 60'000 % 60, of_day / 1000 % 60, of_day % 1000);
    return text.data();
}

}  // namespace farlink::config
