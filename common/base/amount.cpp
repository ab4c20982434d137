// SPDX-License-Identifier: Apache-2.0
#include "common/base/amount.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace farlink {
namespace {

struct Suffix {
    std::string_view text;
    std::uint64_t factor;
};

constexpr std::array<Suffix, 9> kSuffixes{{{"", 1},
                                           {"k", 1'000},
                                           {"M", 1'000'000},
                                           {"G", 1'000'000'000},
                                           {"T", 1'000'000'000'000},
                                           {"Ki", 1ULL << 10},
                                           {"Mi", 1ULL << 20},
                                           {"Gi", 1ULL << 30},
                                           {"Ti", 1ULL << 40}}};

std::optional<std::uint64_t> factor_of(std::string_view suffix) {
    for (const Suffix &each : kSuffixes)
        if (each.text == suffix) return each.factor;
    return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> parse_amount(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789.");
    const std::string_view digits = text.substr(0, end);
    const auto factor = factor_of(end == std::string_view::npos ? "" : text.substr(end));
    if (!factor || digits.empty()) return std::nullopt;
    const char *const stop = digits.data() + digits.size();
    if (digits.find('.') == std::string_view::npos) {  // to the last digit
        std::uint64_t whole = 0;
        const auto read = std::from_chars(digits.data(), stop, whole);
        if (read.ec != std::errc{} || read.ptr != stop) return std::nullopt;
        if (whole > std::numeric_limits<std::uint64_t>::max() / *factor) return std::nullopt;
        return whole * *factor;
    }
    double number = 0;
    const auto read = std::from_chars(digits.data(), stop, number);
    if (read.ec != std::errc{} || read.ptr != stop) return std::nullopt;
    const double amount = number * static_cast<double>(*factor);
    constexpr double kMost = 9e18;
    if (amount > kMost || amount != std::floor(amount)) return std::nullopt;
    return static_cast<std::uint64_t>(amount);
}

}  // namespace farlink
