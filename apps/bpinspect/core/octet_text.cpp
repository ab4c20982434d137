// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/octet_text.hpp"

#include <algorithm>

#include "common/config/fields/instant.hpp"

namespace farlink::inspect {
namespace {

constexpr std::uint64_t kMsPerSecond = 1000;

}  // namespace

std::string hex_text(ByteView octets, std::size_t most) {
    const std::string text = farlink::hex_text(octets.first(std::min(most, octets.size())));
    return octets.size() > most ? text + "..." : text;
}

bool is_printable(ByteView octets) {
    const std::string_view text = as_text(octets);
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return farlink::is_printable(c) || c == '\n' || c == '\t' || c == '\r';
    });
}

std::string utc_of_ms(std::uint64_t dtn_ms) {
    return dtn_ms <= config::kLastUtc ? config::format_utc(dtn_ms) : std::string();
}

std::string utc_of_s(std::uint64_t dtn_s) {
    return dtn_s <= config::kLastUtc / kMsPerSecond ? config::format_utc(dtn_s * kMsPerSecond)
                                                    : std::string();
}

std::string duration_of_ms(std::uint64_t ms) {
    struct Unit {
        std::uint64_t ms;
        const char *name;
    };
    static constexpr Unit kUnits[] = {{24 * 3600 * kMsPerSecond, " d "},
                                      {3600 * kMsPerSecond, " h "},
                                      {60 * kMsPerSecond, " min "}};
    std::string text;
    for (const Unit &unit : kUnits) {
        if (ms >= unit.ms) text += std::to_string(ms / unit.ms) + unit.name;
        ms %= unit.ms;
    }
    if (ms % kMsPerSecond != 0) {
        std::string fraction = std::to_string(kMsPerSecond + ms % kMsPerSecond).substr(1);
        return text + std::to_string(ms / kMsPerSecond) + '.' + fraction + " s";
    }
    if (ms != 0 || text.empty()) return text + std::to_string(ms / kMsPerSecond) + " s";
    text.pop_back();
    return text;
}

std::uint64_t unnamed_bits(std::uint64_t bits, std::span<const BitName> names) {
    for (const BitName &each : names) bits &= ~each.bit;
    return bits;
}

std::string names_of_bits(std::uint64_t bits, std::span<const BitName> names) {
    std::string text;
    const auto add = [&text](const std::string &name) {
        text += (text.empty() ? "" : ", ") + name;
    };
    for (const BitName &each : names)
        if ((bits & each.bit) != 0) add(each.name);
    const std::uint64_t unnamed = unnamed_bits(bits, names);
    for (unsigned bit = 0; bit < 64; ++bit)
        if ((unnamed >> bit & 1) != 0) add("bit " + std::to_string(bit));
    return text.empty() ? "none" : text;
}

}  // namespace farlink::inspect
