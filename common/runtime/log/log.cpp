// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log.hpp"

#include <spdlog/formatter.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "common/base/counted.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/journal.hpp"
#include "common/runtime/log/log_format.hpp"
#include "common/runtime/log/log_levels.hpp"

namespace farlink {

/// Links log from several threads.
class SharedLogLimiter {
public:
    [[nodiscard]] std::optional<std::uint64_t> admit(TimePoint now) {
        const std::lock_guard lock(mutex_);
        return limiter_.admit(now);
    }

private:
    std::mutex mutex_;
    LogLimiter limiter_{Logger::kLinkInterval, Logger::kLinkLines};
};

namespace {

constexpr const char *kTime = "%Y-%m-%dT%H:%M:%S.%fZ";
constexpr auto kIntervalSeconds =
    std::chrono::duration_cast<seconds>(Logger::kLinkInterval).count();
constexpr const char *kTextLine = "%Y-%m-%dT%H:%M:%S.%fZ %l %n: %v";

spdlog::level::level_enum spdlog_level(LogLevel level) {
    return static_cast<spdlog::level::level_enum>(level);  // the same order
}
static_assert(static_cast<int>(LogLevel::kWarn) == SPDLOG_LEVEL_WARN);
static_assert(static_cast<int>(LogLevel::kOff) == SPDLOG_LEVEL_OFF);

std::unique_ptr<spdlog::formatter> pattern(const char *text, const char *line_end) {
    return std::make_unique<spdlog::pattern_formatter>(text, spdlog::pattern_time_type::utc,
                                                       line_end);
}

class TextFormatter final : public spdlog::formatter {
public:
    /// `severity`: with the prefix of each line for the journal.
    explicit TextFormatter(bool severity) : severity_(severity) {}

    void format(const spdlog::details::log_msg &message, spdlog::memory_buf_t &to) override {
        const std::string text = text_log_message({message.payload.data(), message.payload.size()});
        spdlog::details::log_msg plain = message;
        plain.payload = text;
        if (severity_) {
            const std::string_view prefix = severity_prefix(static_cast<LogLevel>(message.level));
            to.append(prefix.data(), prefix.data() + prefix.size());
        }
        line_->format(plain, to);
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<TextFormatter>(severity_);
    }

private:
    bool severity_;
    std::unique_ptr<spdlog::formatter> line_ = pattern(kTextLine, "\n");
};

/// One JSON object a line.
class JsonFormatter final : public spdlog::formatter {
public:
    void format(const spdlog::details::log_msg &message, spdlog::memory_buf_t &to) override {
        spdlog::memory_buf_t time;
        time_->format(message, time);
        const std::string line =
            json_log_line({time.data(), time.size()}, static_cast<LogLevel>(message.level),
                          {message.logger_name.data(), message.logger_name.size()},
                          {message.payload.data(), message.payload.size()}) +
            '\n';
        to.append(line.data(), line.data() + line.size());
    }
    [[nodiscard]] std::unique_ptr<spdlog::formatter> clone() const override {
        return std::make_unique<JsonFormatter>();
    }

private:
    std::unique_ptr<spdlog::formatter> time_ = pattern(kTime, "");
};

/// Loggers whose lines are each about one of many links.
constexpr std::array<std::string_view, 3> kOfLinks{"link", "ltp", "udp"};

/// All loggers of the process, by name, and the one sink they share.
class Registry {
public:
    Registry() : sink_(std::make_shared<spdlog::sinks::stderr_sink_mt>()) {
        set_format(LogFormat::kText);
    }
    spdlog::logger *logger(std::string_view name) {
        const std::lock_guard lock(mutex_);
        auto &slot = loggers_[std::string(name)];
        if (slot == nullptr) {
            slot = std::make_unique<spdlog::logger>(std::string(name), sink_);
            slot->set_level(spdlog_level(levels_.of(name)));
        }
        return slot.get();
    }
    /// Null: the logger has none.
    SharedLogLimiter *limiter(std::string_view name) {
        const auto found = std::ranges::find(kOfLinks, name);
        return found == kOfLinks.end() ? nullptr : &limiters_[found - kOfLinks.begin()];
    }
    void set_levels(const LogLevels &levels) {
        const std::lock_guard lock(mutex_);
        levels_ = levels;
        apply();
    }
    void set_level(std::string_view logger, LogLevel level) {
        const std::lock_guard lock(mutex_);
        levels_.set(logger, level);
        apply();
    }
    [[nodiscard]] LogLevels levels() {
        const std::lock_guard lock(mutex_);
        return levels_;
    }
    void set_format(LogFormat format) {
        format_ = format;
        if (format == LogFormat::kJson)
            sink_->set_formatter(std::make_unique<JsonFormatter>());
        else
            sink_->set_formatter(std::make_unique<TextFormatter>(format == LogFormat::kSyslog));
    }
    [[nodiscard]] LogFormat format() const { return format_; }

private:
    void apply() {
        for (auto &[name, logger] : loggers_) logger->set_level(spdlog_level(levels_.of(name)));
    }

    std::mutex mutex_;
    LogLevels levels_;
    std::atomic<LogFormat> format_ = LogFormat::kText;
    std::shared_ptr<spdlog::sinks::stderr_sink_mt> sink_;
    std::map<std::string, std::unique_ptr<spdlog::logger>> loggers_;
    std::array<SharedLogLimiter, kOfLinks.size()> limiters_;
};

/// Never destroyed: threads and static objects may log until the very end.
Registry &registry() {
    static auto &instance = *std::make_unique<Registry>().release();
    return instance;
}

}  // namespace

void set_log_level(LogLevel level) {
    registry().set_level({}, level);
}

void set_log_level(std::string_view logger, LogLevel level) {
    registry().set_level(logger, level);
}

void set_log_levels(const LogLevels &levels) {
    registry().set_levels(levels);
}

LogLevels log_levels() {
    return registry().levels();
}

void set_log_format(LogFormat format) {
    registry().set_format(format);
}

LogFormat log_format() {
    return registry().format();
}

Logger::Logger(std::string_view module)
    : logger_(registry().logger(module)), limiter_(registry().limiter(module)) {}

bool Logger::enabled(LogLevel level) const {
    return logger_->should_log(spdlog_level(level));
}

void Logger::write(LogLevel level, fmt::string_view text, fmt::format_args args) const {
    if (limiter_ != nullptr && (level == LogLevel::kInfo || level == LogLevel::kWarn)) {
        const auto suppressed = limiter_->admit(monotonic_now());
        if (!suppressed) return;
        if (*suppressed > 0)
            logger_->warn("{} about links suppressed: this logger writes at most {} in {} s",
                          counted(*suppressed, "line"), kLinkLines, kIntervalSeconds);
    }
    logger_->log(spdlog_level(level), fmt::vformat(text, args));
}

}  // namespace farlink
