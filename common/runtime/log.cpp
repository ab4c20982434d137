// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace farlink {
namespace {

constexpr std::array<std::string_view, 7> kLevelNames{"trace", "debug",    "info", "warn",
                                                      "error", "critical", "off"};

spdlog::level::level_enum spdlog_level(LogLevel level) {
    return static_cast<spdlog::level::level_enum>(level);  // the same order
}
static_assert(static_cast<int>(LogLevel::kWarn) == SPDLOG_LEVEL_WARN);
static_assert(static_cast<int>(LogLevel::kOff) == SPDLOG_LEVEL_OFF);

/// All loggers of the process, by name, and the one sink they share.
class Registry {
public:
    Registry() : sink_(std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
        sink_->set_formatter(std::make_unique<spdlog::pattern_formatter>(
            "%Y-%m-%dT%H:%M:%S.%fZ %l %n: %v", spdlog::pattern_time_type::utc));
    }
    spdlog::logger *logger(std::string_view name) {
        const std::lock_guard lock(mutex_);
        auto &slot = loggers_[std::string(name)];
        if (slot == nullptr) {
            slot = std::make_unique<spdlog::logger>(std::string(name), sink_);
            slot->set_level(spdlog_level(level_));
        }
        return slot.get();
    }
    void set_level(LogLevel level) {
        const std::lock_guard lock(mutex_);
        level_ = level;
        for (auto &[name, logger] : loggers_) logger->set_level(spdlog_level(level));
    }

private:
    std::mutex mutex_;
    LogLevel level_ = LogLevel::kInfo;
    std::shared_ptr<spdlog::sinks::stderr_sink_mt> sink_;
    std::map<std::string, std::unique_ptr<spdlog::logger>> loggers_;
};

/// Never destroyed: threads and static objects may log until the very end.
Registry &registry() {
    static auto &instance = *std::make_unique<Registry>().release();
    return instance;
}

}  // namespace

std::optional<LogLevel> parse_log_level(std::string_view text) {
    const auto found = std::ranges::find(kLevelNames, text);
    if (found == kLevelNames.end()) return std::nullopt;
    return static_cast<LogLevel>(found - kLevelNames.begin());
}

void set_log_level(LogLevel level) {
    registry().set_level(level);
}

Logger::Logger(std::string_view module) : logger_(registry().logger(module)) {}

bool Logger::enabled(LogLevel level) const {
    return logger_->should_log(spdlog_level(level));
}

void Logger::write(LogLevel level, fmt::string_view text, fmt::format_args args) const {
    logger_->log(spdlog_level(level), fmt::vformat(text, args));
}

}  // namespace farlink
