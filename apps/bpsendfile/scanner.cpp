// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/scanner.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "apps/shared/messages/octet_writer.hpp"
#include "common/files/names.hpp"

namespace farlink::bpsendfile {
namespace {

namespace fs = std::filesystem;

/// The name that a path on the command line has for the receiver; empty: what is in it is sent
/// without a folder around it.
std::string name_of(const std::string &path) {
    std::string text = path;
    while (text.size() > 1 && text.ends_with('/')) text.pop_back();
    const std::string last(files::last_part_of(text));
    return last == "." || last == ".." ? std::string() : last;
}

std::string joined(const std::string &folder, const std::string &name) {
    if (folder.empty()) return name;
    return folder + (folder.ends_with('/') ? "" : "/") + name;
}

/// In a fixed order, so that a run that is repeated reads them alike.
std::vector<std::string> entries_of(const std::string &path, std::error_code &error) {
    std::vector<std::string> names;
    fs::directory_iterator entry(path, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
        names.push_back(entry->path().filename().string());
    std::ranges::sort(names);
    return names;
}

}  // namespace

std::string Scanner::wrong_path() const {
    for (const std::string &path : paths_) {
        struct stat status{};
        if (::stat(path.c_str(), &status) != 0) return path + ": " + messages::reason_of(errno);
        if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
            return path + ": is neither a file nor a folder";
        if (S_ISREG(status.st_mode) && name_of(path).empty()) return path + ": has no name";
    }
    return {};
}

bool Scanner::scan(const Finder &finder) const {
    return std::ranges::all_of(paths_, [&](const std::string &path) {
        return scan_path(finder, path, name_of(path), depth_, true);
    });
}

bool Scanner::scan_path(const Finder &finder, const std::string &path, const std::string &name,
                        std::uint64_t depth, bool named) const {
    struct stat status{};
    const int failed = named ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status);
    if (failed != 0) return true;  // it is gone
    if (const std::string wrong = name.empty() ? "" : files::wrong_name(name); !wrong.empty()) {
        finder.on_other(name, "its name " + wrong);
        return true;
    }
    if (S_ISREG(status.st_mode)) {
        // The reader follows no link; one that is named stands for its file.
        std::error_code error;
        const fs::path real = named ? fs::canonical(path, error) : fs::path(path);
        const std::string file = error ? path : real.string();
        return finder.on_file({.path = file, .name = name},
                              {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
                               static_cast<std::uint32_t>(status.st_mtim.tv_nsec)});
    }
    if (!S_ISDIR(status.st_mode)) {
        finder.on_other(name, "is neither a file nor a folder");
        return true;
    }
    if (!finder.on_folder({.path = path, .name = name, .folder = true, .mode = status.st_mode}))
        return false;
    return scan_folder(finder, path, name, depth);
}

bool Scanner::scan_folder(const Finder &finder, const std::string &path, const std::string &name,
                          std::uint64_t depth) const {
    std::error_code error;
    const std::vector<std::string> names = entries_of(path, error);
    if (error) finder.on_other(name, "cannot read the folder: " + error.message());
    for (const std::string &each : names) {
        const std::string inner = joined(path, each);
        std::error_code ignored;
        if (depth == 0 && fs::symlink_status(inner, ignored).type() == fs::file_type::directory)
            continue;
        if (!scan_path(finder, inner, joined(name, each), depth == 0 ? 0 : depth - 1, false))
            return false;
    }
    return true;
}

}  // namespace farlink::bpsendfile
