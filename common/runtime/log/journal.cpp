// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/journal.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace farlink {

bool logs_to_journal() {
    const char *const stream = std::getenv("JOURNAL_STREAM");
    struct stat error{};
    if (stream == nullptr || ::fstat(STDERR_FILENO, &error) != 0) return false;
    return std::to_string(error.st_dev) + ':' + std::to_string(error.st_ino) == stream;
}

std::string_view severity_prefix(LogLevel level) {
    switch (level) {
        case LogLevel::kTrace:
        case LogLevel::kDebug:
            return "<7>";
        case LogLevel::kInfo:
            return "<6>";
        case LogLevel::kWarn:
            return "<4>";
        case LogLevel::kError:
            return "<3>";
        case LogLevel::kCritical:
        case LogLevel::kOff:
            break;
    }
    return "<2>";
}

}  // namespace farlink
