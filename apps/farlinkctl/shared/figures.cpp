// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace farlink::ctl {
namespace {

constexpr double kThousand = 1000;
constexpr std::array<const char *, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};

struct Scaled {
    std::string digits;
    const char *prefix;
};

/// Three digits; a value that rounds to 1000 takes the next prefix.
Scaled scaled(double value) {
    std::size_t power = 0;
    const auto decimals = [&] { return power == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2; };
    while (value >= 999.5 && power + 1 < kPrefixes.size()) {
        value /= kThousand;
        ++power;
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals(), value);
    return {text.data(), kPrefixes[power]};
}

bool continues(char octet) {
    return (static_cast<unsigned char>(octet) & 0xc0) == 0x80;
}

}  // namespace

std::string short_number(double value) {
    const Scaled parts = scaled(value);
    return parts.digits + parts.prefix;
}

std::string octets_text(double octets) {
    const Scaled parts = scaled(octets);
    return parts.digits + ' ' + parts.prefix + 'B';
}

std::string duration_text(double seconds) {
    constexpr std::uint64_t kMinute = 60;
    constexpr std::uint64_t kHour = 3600;
    constexpr std::uint64_t kDay = 86'400;
    const auto whole = static_cast<std::uint64_t>(std::clamp(seconds, 0.0, 1e15));
    const auto text = [&](std::uint64_t unit, const char *name, std::uint64_t part,
                          const char *part_name) {
        return std::to_string(whole / unit) + name + std::to_string(whole % unit / part) +
               part_name;
    };
    if (whole < kMinute) return std::to_string(whole) + " s";
    if (whole < kHour) return text(kMinute, " min ", 1, " s");
    if (whole < kDay) return text(kHour, " h ", kMinute, " min");
    return text(kDay, " d ", kHour, " h");
}

// U+0080 to U+009F are control characters, too: they begin sequences as ESC does.
std::string printable(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto octet = static_cast<unsigned char>(text[at]);
        const bool wide = octet == 0xc2 && at + 1 < text.size() &&
                          static_cast<unsigned char>(text[at + 1]) < 0xa0;
        if (wide) ++at;
        plain += wide || octet < ' ' || octet == 0x7f ? '?' : text[at];
    }
    return plain;
}

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char octet) { return !continues(octet); }));
}

std::string cut(std::string_view text, std::size_t columns) {
    if (columns_of(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::size_t end = 0;
    for (std::size_t left = columns; end < text.size(); ++end)
        if (!continues(text[end]) && left-- == 1) break;
    return std::string(text.substr(0, end)) + '~';
}

std::string sparkline(const std::vector<double> &values, std::size_t columns, bool utf8) {
    constexpr std::array<const char *, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    constexpr std::array<const char *, 8> kLetters{"_", ".", ":", "-", "=", "+", "*", "#"};
    if (values.empty() || columns == 0) return {};
    const std::size_t shown = std::min(columns, values.size());
    std::vector<double> means(shown, -1);
    for (std::size_t i = 0; i < shown; ++i) {
        double sum = 0;
        std::size_t known = 0;
        for (std::size_t at = i * values.size() / shown; at < (i + 1) * values.size() / shown; ++at)
            if (values[at] >= 0) {
                sum += values[at];
                ++known;
            }
        if (known > 0) means[i] = sum / static_cast<double>(known);
    }
    const double largest = std::ranges::max(means);
    std::string line;
    for (const double mean : means) {
        const auto step =
            largest > 0 ? static_cast<std::size_t>(std::lround(mean / largest * 7)) : 0;
        if (mean < 0)
            line += ' ';
        else
            line += utf8 ? kBlocks[step] : kLetters[step];
    }
    return line;
}

}  // namespace farlink::ctl
