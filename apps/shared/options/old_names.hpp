// SPDX-License-Identifier: Apache-2.0
// Former names of keys in the JSON of tools.
// A plain function; any thread.
// Former names are written beside the new ones for one minor version.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace farlink {

/// Each pair is the new and the former name.
template <class Json>
void add_old_names(Json &report,
                   std::initializer_list<std::pair<const char *, const char *>> renamed) {
    for (const auto &[now, before] : renamed)
        if (const auto found = report.find(now); found != report.end())
            report[before] = Json(*found);
}

/// What a key was called when keys were in snake_case: "outOfOrder" was "out_of_order".
[[nodiscard]] inline std::string old_name_of(std::string_view key) {
    using Renamed = std::pair<std::string_view, std::string_view>;
    constexpr std::array<Renamed, 2> kOtherwise{
        {{"goodputBitsPerSec", "goodput_bps"}, {"latencyMilliseconds", "latency_ms"}}};
    for (const auto &[now, before] : kOtherwise)
        if (key == now) return std::string(before);
    std::string old;
    for (const char letter : key) {
        const bool capital = letter >= 'A' && letter <= 'Z';
        if (capital) old += '_';
        old += capital ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return old;
}

/// The same for every key of a report whose keys all had such names.
template <class Json>
void add_old_names(Json &report) {
    const Json now = report;
    for (const auto &[key, value] : now.items())
        if (std::string old = old_name_of(key); old != key) report[old] = value;
}

}  // namespace farlink
