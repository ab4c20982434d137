// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/config_paths.hpp"

#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry::paths {
namespace {

/// Links that are replaced, and a large plan, take longer than other commands.
constexpr seconds kPatience{30};

Command command(Json request, const char *change) {
    return Command{
        .request = to_text(request), .change = change, .render = nullptr, .patience = kPatience};
}

}  // namespace

Outcome reload_config(const Request &request) {
    const auto partial = parse_flag(request.target, "partial");
    if (!partial) return problem(400, "`partial`: expected true or false");
    return command({{"command", "reload"}, {"partial", *partial}}, "reload");
}

Outcome config_diff(const Request &) {
    return command({{"command", "config diff"}}, "");
}

Outcome revert_config(const Request &) {
    return command({{"command", "config revert"}}, "config revert");
}

Outcome save_config(const Request &) {
    return command({{"command", "config save"}}, "config save");
}

}  // namespace farlink::telemetry::paths
