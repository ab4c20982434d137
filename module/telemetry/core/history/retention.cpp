// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/retention.hpp"

#include <algorithm>
#include <map>

namespace farlink::telemetry {
namespace {

constexpr std::uint64_t kDayMs = 24 * 3600 * kMsPerSecond;

std::uint64_t kept_ms(HistoryKind kind, const config::HistoryConfig &limits) {
    switch (kind) {
        case HistoryKind::kEvents:
            return limits.event_days * kDayMs;
        case HistoryKind::kCoarseRates:
            return limits.rate_days * kDayMs;
        case HistoryKind::kFineRates:
            break;
    }
    return kDayMs;
}

}  // namespace

bool is_outdated(const HistoryFile &file, const config::HistoryConfig &limits, DtnTime now) {
    return file.begin + longest_period_ms(file.kind) + kept_ms(file.kind, limits) < now;
}

std::optional<HistoryFile> next_to_delete(const std::vector<KeptFile> &files) {
    struct OfKind {
        std::uint64_t bytes = 0;
        std::size_t count = 0;
        std::optional<HistoryFile> oldest;
    };
    std::map<HistoryKind, OfKind> kinds;
    for (const KeptFile &each : files) {
        OfKind &of = kinds[each.file.kind];
        of.bytes += each.bytes;
        ++of.count;
        if (!of.oldest || each.file.number < of.oldest->number) of.oldest = each.file;
    }
    std::erase_if(kinds, [](const auto &entry) { return entry.second.count < 2; });
    const auto most =
        std::ranges::max_element(kinds, {}, [](const auto &entry) { return entry.second.bytes; });
    if (most == kinds.end()) return std::nullopt;
    return most->second.oldest;
}

}  // namespace farlink::telemetry
