// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/watch_paths.hpp"

#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry::paths {
namespace {

/// Bundles in a second that one watcher is shown.
constexpr std::uint64_t kMostPerSecond = 1000;
constexpr std::uint64_t kUsualPerSecond = 100;
constexpr std::uint64_t kLargestSample = 1'000'000'000;

std::string_view word(const Request &request, const char *key) {
    const auto found = request.target.query.find(key);
    return found == request.target.query.end() ? std::string_view() : found->second;
}

}  // namespace

Outcome watch_bundles(const Request &request) {
    auto rules = history::watch_rules({word(request, "pattern"), word(request, "source"),
                                       word(request, "destination"), word(request, "outcome")});
    if (!rules) return problem(400, rules.error());
    rules->per_second = kUsualPerSecond;
    const auto read = [&request](const char *key, std::uint64_t most, std::uint64_t &number) {
        const auto found = request.target.query.find(key);
        if (found == request.target.query.end()) return true;
        number = parse_number(found->second, most).value_or(0);
        return number > 0;
    };
    if (!read("sample", kLargestSample, rules->sample))
        return problem(400, "`sample`: expected a whole number from 1 to 1000000000");
    if (!read("perSecond", kMostPerSecond, rules->per_second))
        return problem(400, "`perSecond`: expected a whole number from 1 to 1000");
    return WatchRequest{std::move(*rules)};
}

}  // namespace farlink::telemetry::paths
