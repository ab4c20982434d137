// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/figures.hpp"

#include <array>

#include "common/base/counted.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::size_t kGroup = 3;

/// With one digit behind the point.
std::string tenths(std::uint64_t number_of_tenths) {
    return std::to_string(number_of_tenths / 10) + '.' + std::to_string(number_of_tenths % 10);
}

}  // namespace

std::string grouped(std::uint64_t number) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > kGroup;) {
        at -= kGroup;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string counted_in_groups(std::uint64_t number, std::string_view noun) {
    return grouped(number) + ' ' + noun_for(number, noun);
}

std::string octets_in_words(std::uint64_t octets) {
    constexpr std::uint64_t kStep = 1000;
    constexpr std::array<const char *, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
    if (octets < kStep) return std::to_string(octets) + " B";
    std::uint64_t unit = kStep;
    std::size_t at = 0;
    while (at + 1 < kUnits.size() && octets / unit >= kStep) {
        unit *= kStep;
        ++at;
    }
    return tenths(octets / (unit / 10)) + ' ' + kUnits[at];
}

}  // namespace farlink::telemetry
