// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/audit_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace farlink::telemetry {
namespace {

constexpr unsigned kFirstError = 400;

}  // namespace

std::string AuditLog::open() {
    std::error_code error;
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    FileDescriptor opened(
        ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!opened) return path_ + ": " + std::generic_category().message(errno);
    file_ = std::move(opened);
    return {};
}

// Whoever has renamed or deleted it wants another one.
bool AuditLog::follow() {
    struct stat written{};
    struct stat named{};
    const bool same = ::fstat(file_.get(), &written) == 0 && ::stat(path_.c_str(), &named) == 0 &&
                      written.st_dev == named.st_dev && written.st_ino == named.st_ino;
    return same || open().empty();
}

// The rest of a line that did not fit is no line: what is there of it is taken back.
bool AuditLog::append(std::string_view line) {
    struct stat before{};
    if (::fstat(file_.get(), &before) != 0) return false;
    const ssize_t written = ::write(file_.get(), line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return true;
    if (written < 0) return false;
    if (::ftruncate(file_.get(), before.st_size) != 0) return false;
    errno = ENOSPC;
    return false;
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
    if (!follow() || !append(to_text(line) + '\n'))
        log_.error("{}: {}; this change is not in it", path_,
                   std::generic_category().message(errno));
    log_.info("{}: {} by {}{}", entry.change, done ? "done" : "refused", entry.who,
              done ? std::string() : " (" + entry.detail + ")");
}

}  // namespace farlink::telemetry
