// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/audit_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace farlink::telemetry {
namespace {

constexpr unsigned kFirstError = 400;

}  // namespace

std::string AuditLog::open() {
    std::error_code error;
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    file_ = FileDescriptor(
        ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file_) return {};
    return path_ + ": " + std::generic_category().message(errno);
}

void AuditLog::write(const AuditEntry &entry) {
    const bool done = entry.status < kFirstError;
    Json line{{"time", entry.time},
              {"who", entry.who},
              {"request", entry.request},
              {"change", entry.change},
              {"outcome", done ? "done" : "refused"},
              {"status", entry.status}};
    if (!done) line["detail"] = entry.detail;
    const std::string text = to_text(line) + '\n';
    if (::write(file_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        log_.error("{}: {}", path_, std::generic_category().message(errno));
    log_.info("{}: {} by {}{}", entry.change, done ? "done" : "refused", entry.who,
              done ? std::string() : " (" + entry.detail + ")");
}

}  // namespace farlink::telemetry
