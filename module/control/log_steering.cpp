// SPDX-License-Identifier: Apache-2.0
#include "module/control/log_steering.hpp"

#include <string>

#include "module/control/core/json/replies.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

/// The text of a key, empty when it is missing; null when it is no text.
Json optional_text(const Json &request, const char *key) {
    const auto found = request.find(key);
    if (found == request.end()) return "";
    return found->is_string() ? *found : Json();
}

Json levels_json() {
    const LogLevels levels = log_levels();
    Json named{{"all", to_string(levels.all)}};
    for (const std::string_view logger : kLoggerNames)
        named[std::string(logger)] = to_string(levels.of(logger));
    return named;
}

}  // namespace

void LogSteering::change(std::string_view logger, LogLevel level) {
    set_log_level(logger, level);
    const ByteView name = as_bytes(logger);
    bus::LogChange change{{name.begin(), name.end()}, static_cast<std::uint8_t>(level)};
    std::erase_if(changes_, [&](const bus::LogChange &earlier) {
        return logger.empty() || earlier.logger == change.logger;
    });
    for (const bus::AgentId module : elsewhere_) send_(module, change);
    changes_.push_back(std::move(change));
}

void LogSteering::handle_back(bus::AgentId module) const {
    for (const bus::LogChange &change : changes_) send_(module, change);
}

Json LogSteering::handle_command(const Json &request, const Caller &caller) {
    const Json logger = optional_text(request, "logger");
    const Json level = optional_text(request, "level");
    if (!logger.is_string() || !level.is_string())
        return error_reply(Refusal::kMalformed, "`logger`, `level`: expected texts");
    const std::string named = logger == "all" ? std::string() : logger.get<std::string>();
    if (const std::string wrong = wrong_logger(named); !wrong.empty())
        return error_reply(Refusal::kNotFound, "`logger`: " + wrong);
    if (request.contains("level")) {
        const auto text = level.get<std::string>();
        const auto wanted = parse_log_level(text);
        if (!wanted) return error_reply(Refusal::kInvalid, "`level`: " + wrong_level(text));
        Logger("control").info("log level of {} set to {} by {}",
                               named.empty() ? "all loggers" : named, text, caller.name);
        change(named, *wanted);
    } else if (!named.empty()) {
        return error_reply(Refusal::kMalformed, "`level` is missing");
    }
    return {{"ok", true}, {"levels", levels_json()}};
}

}  // namespace farlink::control
