// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log_levels.hpp"

#include <algorithm>
#include <optional>

namespace farlink {
namespace {

constexpr std::array<std::string_view, 7> kLevelNames{"trace", "debug",    "info", "warn",
                                                      "error", "critical", "off"};

/// "ingress2" is an instance of "ingress".
std::string_view role_of(std::string_view logger) {
    while (!logger.empty() && logger.back() >= '0' && logger.back() <= '9') logger.remove_suffix(1);
    return logger;
}

template <class Names>
std::string listed(const Names &names) {
    std::string text;
    for (const std::string_view name : names)
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
    const auto found = std::ranges::find(kLevelNames, text);
    if (found == kLevelNames.end()) return std::nullopt;
    return static_cast<LogLevel>(found - kLevelNames.begin());
}

std::string_view to_string(LogLevel level) {
    return kLevelNames[std::min(static_cast<std::size_t>(level), kLevelNames.size() - 1)];
}

LogLevel LogLevels::of(std::string_view logger) const {
    const auto own = loggers.find(role_of(logger));
    return own == loggers.end() ? all : own->second;
}

void LogLevels::set(std::string_view logger, LogLevel level) {
    if (!logger.empty()) {
        loggers.insert_or_assign(std::string(logger), level);
        return;
    }
    all = level;
    loggers.clear();
}

std::string wrong_logger(std::string_view name) {
    if (name.empty() || std::ranges::find(kLoggerNames, name) != kLoggerNames.end()) return {};
    return "no such logger; expected one of " + listed(kLoggerNames);
}

std::string wrong_level(std::string_view text) {
    if (parse_log_level(text)) return {};
    return "not a log level; expected one of " + listed(kLevelNames);
}

Result<LogLevels, std::string> parse_log_levels(std::string_view text, LogLevel all) {
    LogLevels levels{all, {}};
    for (bool first = true;; first = false) {
        const std::size_t comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        const std::size_t equals = part.find('=');
        const std::string_view word = part.substr(equals + 1);
        const auto level = parse_log_level(word);
        if (!level) return fail('"' + std::string(word) + "\": " + wrong_level(word));
        if (equals == std::string_view::npos) {
            if (!first)
                return fail("the level of all loggers must be first: \"" + std::string(part) +
                            ",ltp=debug\"");
            levels.all = *level;
        } else {
            const std::string_view logger = part.substr(0, equals);
            const std::string wrong =
                logger.empty() ? "the name of the logger is missing" : wrong_logger(logger);
            if (!wrong.empty()) return fail('"' + std::string(part) + "\": " + wrong);
            levels.loggers.insert_or_assign(std::string(logger), *level);
        }
        if (comma == std::string_view::npos) return levels;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace farlink
