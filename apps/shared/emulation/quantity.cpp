// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/emulation/quantity.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "common/base/amount.hpp"

namespace farlink::emulation {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

// The number before a unit of the table, times the unit's factor.
template <std::size_t kCount>
std::optional<double> parse(std::string_view text, const std::array<Unit, kCount> &units) {
    double number = 0;
    const char *const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || !std::isfinite(number) || number < 0) return std::nullopt;
    const std::string_view suffix(stop, static_cast<std::size_t>(end - stop));
    for (const Unit &unit : units)
        if (unit.name == suffix) return number * unit.factor;
    return std::nullopt;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
    static constexpr std::array<Unit, 8> kUnits{{{"", 1e9},
                                                 {"ns", 1},
                                                 {"us", 1e3},
                                                 {"ms", 1e6},
                                                 {"s", 1e9},
                                                 {"min", 60e9},
                                                 {"h", 3600e9},
                                                 {"d", 86400e9}}};
    constexpr double kTenYears = 3.2e17;
    const auto amount = parse(text, kUnits);
    if (!amount || *amount > kTenYears) return std::nullopt;
    return Duration(static_cast<Duration::rep>(std::llround(*amount)));
}

std::optional<std::uint64_t> parse_amount(std::string_view text) {
    constexpr std::uint64_t kMost = 1'000'000'000'000'000;
    const auto amount = farlink::parse_amount(text);
    return amount && *amount <= kMost ? amount : std::nullopt;
}

std::optional<Outage> parse_outage(std::string_view text) {
    const std::size_t plus = text.find('+');
    if (plus == std::string_view::npos) return std::nullopt;
    const auto begin = parse_duration(text.substr(0, plus));
    const auto length = parse_duration(text.substr(plus + 1));
    if (!begin || !length) return std::nullopt;
    return Outage{*begin, *length};
}

}  // namespace farlink::emulation
