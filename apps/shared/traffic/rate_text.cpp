// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/rate_text.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace farlink::traffic {
namespace {

constexpr double kBits = 8;
/// Below this duration a rate is too inexact.
constexpr double kLeastSeconds = 0.01;
constexpr std::uint64_t kFewestBundles = 2;

struct Unit {
    double size;
    const char *name;
};

/// In the largest unit of which it is one at least, else in the last; three digits.
template <std::size_t kCount>
std::string scaled(double value, const std::array<Unit, kCount> &units) {
    const Unit *unit = &units.back();
    for (const Unit &each : units) {
        if (value < each.size) continue;
        unit = &each;
        break;
    }
    const double number = value / unit->size;
    std::array<char, 64> text{};
    const int digits = number < 10 ? 2 : number < 100 ? 1 : 0;
    (void)std::snprintf(text.data(), text.size(), "%.*f %s", digits, number, unit->name);
    return text.data();
}

}  // namespace

std::string bit_rate_text(double bits_per_second) {
    static constexpr std::array<Unit, 4> kUnits{
        {{1e9, "Gbit/s"}, {1e6, "Mbit/s"}, {1e3, "kbit/s"}, {1, "bit/s"}}};
    return scaled(bits_per_second, kUnits);
}

std::string time_text(double seconds) {
    static constexpr std::array<Unit, 3> kUnits{{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}}};
    return scaled(seconds, kUnits);
}

bool has_rate(std::uint64_t bundles, double seconds) {
    return bundles >= kFewestBundles && seconds >= kLeastSeconds;
}

void add_rates(nlohmann::json &report, std::uint64_t bundles, std::uint64_t payload_bytes,
               double seconds) {
    report["bundlesPerSecond"] = report["goodputBitsPerSec"] = nullptr;
    if (!has_rate(bundles, seconds)) return;
    report["bundlesPerSecond"] = static_cast<double>(bundles) / seconds;
    report["goodputBitsPerSec"] = static_cast<double>(payload_bytes) * kBits / seconds;
}

std::string rates_text(std::uint64_t bundles, std::uint64_t payload_bytes, double seconds) {
    if (!has_rate(bundles, seconds)) return "run too short to compute a rate";
    std::array<char, 64> text{};
    (void)std::snprintf(text.data(), text.size(), "%.0f bundles/s, ",
                        static_cast<double>(bundles) / seconds);
    return text.data() + bit_rate_text(static_cast<double>(payload_bytes) * kBits / seconds) +
           " of payload";
}

}  // namespace farlink::traffic
