// SPDX-License-Identifier: Apache-2.0
#include "module/control/state/config_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "common/base/siphash.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "module/control/state/state_file.hpp"

namespace farlink::control {
namespace {

constexpr int kMostReads = 10;
constexpr mode_t kPermissions = 07777;

struct Stamp {
    bool there = false;
    dev_t device = 0;
    ino_t file = 0;
    off_t size = 0;
    std::int64_t changed_s = 0;
    std::int64_t changed_ns = 0;
    friend bool operator==(const Stamp &, const Stamp &) = default;
};

Stamp stamp_of(const std::string &path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {true,          found.st_dev,         found.st_ino,
            found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

std::string cannot_use(const std::string &path) {
    return path + ": " + std::generic_category().message(errno);
}

/// Gives the file the owner and the mode of another one.
std::string take_owner(const std::string &path, const struct stat &of) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file || ::fchmod(file.get(), of.st_mode & kPermissions) != 0) return cannot_use(path);
    // Only root can give a file away; otherwise it belongs to the node's user, like the old one.
    if ((of.st_uid != ::geteuid() || of.st_gid != ::getegid()) &&
        ::fchown(file.get(), of.st_uid, of.st_gid) != 0)
        return cannot_use(path);
    return {};
}

}  // namespace

Result<std::string, config::ConfigError> read_steadily(const std::string &path) {
    for (int tries = 0; tries < kMostReads; ++tries) {
        const Stamp before = stamp_of(path);
        auto text = config::read_text_file(path);
        if (stamp_of(path) != before) continue;
        if (text && text->empty())
            return fail(config::ConfigError{"", "the file is empty", "a JSON object", ""});
        return text;
    }
    return fail(config::ConfigError{"", "the file was changed while it was read", "a complete file",
                                    "write the file under another name, then rename it"});
}

std::string replace_config(const std::string &path, const std::string &text) {
    struct stat old{};
    if (::stat(path.c_str(), &old) != 0) return cannot_use(path);
    std::error_code error;
    const std::string target = std::filesystem::canonical(path, error).string();
    if (error) return path + ": " + error.message();
    const auto before = config::read_text_file(target);
    if (!before) return target + ": " + before.error().to_string();
    const std::string backup = target + ".bak";
    const std::string beside = target + ".saving";
    if (std::string wrong = replace_file(backup, *before); !wrong.empty()) return wrong;
    if (std::string wrong = take_owner(backup, old); !wrong.empty()) return wrong;
    if (std::string wrong = replace_file(beside, text); !wrong.empty()) return wrong;
    if (std::string wrong = take_owner(beside, old); !wrong.empty()) return wrong;
    if (std::rename(beside.c_str(), target.c_str()) != 0) return cannot_use(target);
    const std::string folder = std::filesystem::path(target).parent_path().string();
    const FileDescriptor opened(
        ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return opened && ::fsync(opened.get()) == 0 ? std::string() : cannot_use(folder);
}

namespace {

/// Of the keys in a folder: of the names of their files and what is in them.
std::uint64_t digest_of_folder(const std::string &path) {
    std::vector<std::string> files;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(path, error))
        if (entry.path().extension() == ".key") files.push_back(entry.path().string());
    std::ranges::sort(files);
    std::string all;
    for (const std::string &file : files)
        all += file + ' ' + std::to_string(digest_of_file(file)) + '\n';
    return siphash128(SipKey{}, as_bytes(all)).low | 1;
}

}  // namespace

std::uint64_t digest_of_file(const std::string &path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return digest_of_folder(path);
    const auto text = config::read_text_file(path);
    return text ? siphash128(SipKey{}, as_bytes(*text)).low | 1 : 0;
}

ConfigSource source_of(const std::string &path, std::string text) {
    std::error_code error;
    ConfigSource source;
    source.path = std::filesystem::absolute(path, error).lexically_normal().string();
    source.text = std::move(text);
    source.read = [file = source.path] { return read_steadily(file); };
    source.write = [file = source.path](const std::string &next) {
        return replace_config(file, next);
    };
    source.digest = digest_of_file;
    return source;
}

}  // namespace farlink::control
