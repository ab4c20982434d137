// SPDX-License-Identifier: Apache-2.0
#include "common/audit/audit_log.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/config/node/shown_config.hpp"
#include "common/runtime/private_folder.hpp"

namespace farlink {
namespace {

using Json = nlohmann::ordered_json;

/// Larger requests, such as contact plans, are not repeated in a line.
constexpr std::size_t kMostRequestBytes = 64 * 1024;
constexpr std::size_t kMostItems = 16;
constexpr std::size_t kMostValueBytes = 2048;

std::string to_text(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json shortened(const Json &value) {
    if (value.is_array() && value.size() > kMostItems) return {{"count", value.size()}};
    const std::size_t bytes = to_text(value).size();
    return bytes > kMostValueBytes ? Json{{"bytes", bytes}} : value;
}

}  // namespace

std::string audit_values(const Json &request, std::size_t bytes) {
    if (bytes > kMostRequestBytes) return to_text({{"bytes", bytes}});
    if (!request.is_object()) return {};
    Json values = request;
    // What it does not name follows the contact plan again.
    if (request.value("command", Json()) == "link set")
        for (const char *key : {"rateBitsPerSec", "owlt"}) values.emplace(key, nullptr);
    for (const char *key : {"command", "dryRun"}) values.erase(key);
    config::strip_secrets(values);
    for (auto &[key, value] : values.items()) value = shortened(value);
    return values.empty() ? std::string() : to_text(values);
}

std::string audit_values(std::string_view request) {
    const bool readable =
        request.size() <= kMostRequestBytes && !config::nested_too_deeply(request);
    return audit_values(readable ? Json::parse(request, nullptr, false) : Json(), request.size());
}

std::string AuditLog::open() {
    std::error_code error;
    const auto folder = std::filesystem::path(path_).parent_path();
    if (!folder.empty()) error = make_private_folder(folder.string());
    FileDescriptor opened(
        ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!opened) return path_ + ": " + std::generic_category().message(errno);
    file_ = std::move(opened);
    return {};
}

// Opens a new file if the old one was renamed or deleted.
bool AuditLog::follow() {
    struct stat written{};
    struct stat named{};
    const bool same = ::fstat(file_.get(), &written) == 0 && ::stat(path_.c_str(), &named) == 0 &&
                      written.st_dev == named.st_dev && written.st_ino == named.st_ino;
    return same || open().empty();
}

// If a line does not fit, its beginning is removed again, under the lock.
bool AuditLog::append(std::string_view line) {
    while (::flock(file_.get(), LOCK_EX) != 0)
        if (errno != EINTR) return false;
    struct stat before{};
    const bool known = ::fstat(file_.get(), &before) == 0;
    const ssize_t written = known ? ::write(file_.get(), line.data(), line.size()) : -1;
    const bool whole = written == static_cast<ssize_t>(line.size());
    int error = errno;
    if (!whole && written >= 0)
        error = ::ftruncate(file_.get(), before.st_size) == 0 ? ENOSPC : EIO;
    ::flock(file_.get(), LOCK_UN);
    errno = error;
    return whole;
}

void AuditLog::write(const AuditEntry &entry) {
    Json line{
        {"time", config::format_utc(entry.time)}, {"who", entry.who}, {"change", entry.change}};
    if (!entry.values.empty()) line["values"] = Json::parse(entry.values, nullptr, false);
    line["outcome"] = entry.done ? "done" : "refused";
    if (!entry.done) line["detail"] = entry.detail;
    if (!entry.request.empty()) line["request"] = entry.request;
    if (entry.status != 0) line["status"] = entry.status;
    if (!follow() || !append(to_text(line) + '\n'))
        log_.error("audit file {}: cannot write: {}; the change `{}` is not recorded in the file",
                   path_, std::generic_category().message(errno), entry.change);
    const std::string detail = entry.detail.empty() ? std::string() : ": " + entry.detail;
    log_.info("{}{}{} by {}: {}", entry.change, entry.values.empty() ? "" : " ", entry.values,
              entry.who, entry.done ? "done" : "error" + detail);
}

}  // namespace farlink
