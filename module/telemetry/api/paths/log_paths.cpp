// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/log_paths.hpp"

#include "common/config/fields/json_document.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry::paths {
namespace {

/// A limit, since the audit has these names.
constexpr std::size_t kMostNameBytes = 16;

}  // namespace

Outcome log_levels(const Request &) {
    return Command{to_text({{"command", "log level"}}), {}, kNoLink};
}

// The body is `{"level":"debug"}`; the supervisor checks the level and the logger.
Outcome set_log_level(const Request &request) {
    if (!is_json(request.call.content_type))
        return problem(415, "expected a body with `Content-Type: application/json`");
    const Json body = config::nested_too_deeply(request.call.body)
                          ? Json()
                          : Json::parse(request.call.body, nullptr, false);
    const auto level = body.is_object() && body.size() == 1 ? body.find("level") : body.end();
    if (level == body.end() || !level->is_string() ||
        level->get_ref<const std::string &>().size() > kMostNameBytes)
        return problem(400, R"(expected the body {"level": "debug"}, with a log level)");
    const std::string &logger = request.target.path.back();
    if (logger.empty() || logger.size() > kMostNameBytes)
        return problem(404, "no such logger; /api/v1/log lists them");
    return Command{to_text({{"command", "log level"}, {"logger", logger}, {"level", *level}}),
                   "log level " + logger + ' ' + level->get<std::string>(), kNoLink};
}

}  // namespace farlink::telemetry::paths
