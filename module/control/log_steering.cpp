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

bus::LogChange change_of(std::string_view logger, LogLevel level) {
    const ByteView name = as_bytes(logger);
    return {{name.begin(), name.end()}, static_cast<std::uint8_t>(level)};
}

}  // namespace

void LogSteering::change(std::string_view logger, LogLevel level) {
    bus::LogChange change = change_of(logger, level);
    std::erase_if(changes_, [&](const bus::LogChange &earlier) {
        return logger.empty() || earlier.logger == change.logger;
    });
    apply(change);
    changes_.push_back(std::move(change));
}

void LogSteering::apply(const bus::LogChange &change) const {
    set_log_level(as_text(change.logger), static_cast<LogLevel>(change.level));
    for (const bus::AgentId module : elsewhere_) send_(module, change);
}

void LogSteering::handle_back(bus::AgentId module) const {
    for (const bus::LogChange &change : all_changes()) send_(module, change);
}

std::vector<bus::LogChange> LogSteering::all_changes() const {
    if (!reloaded_) return changes_;
    std::vector<bus::LogChange> all{change_of({}, configured_.all)};
    for (const auto &[logger, level] : configured_.loggers) all.push_back(change_of(logger, level));
    all.insert(all.end(), changes_.begin(), changes_.end());
    return all;
}

void LogSteering::set_configured(const LogLevels &levels) {
    configured_ = levels;
    reloaded_ = true;
    for (const bus::LogChange &change : all_changes()) apply(change);
}

void LogSteering::note_saved() {
    for (const bus::LogChange &change : changes_)
        if (change.logger.empty()) configured_ = {static_cast<LogLevel>(change.level), {}};
    reloaded_ = true;
    std::erase_if(changes_, [](const bus::LogChange &change) { return change.logger.empty(); });
}

void LogSteering::revert() {
    if (changes_.empty()) return;
    changes_.clear();
    set_configured(LogLevels(configured_));
}

std::vector<std::pair<std::string, LogLevel>> LogSteering::changes() const {
    std::vector<std::pair<std::string, LogLevel>> list;
    for (const bus::LogChange &change : changes_)
        list.emplace_back(as_text(change.logger), static_cast<LogLevel>(change.level));
    return list;
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
        return error_reply(Refusal::kMalformed, "`level`: missing; expected a log level");
    }
    return {{"ok", true}, {"levels", levels_json()}};
}

}  // namespace farlink::control
