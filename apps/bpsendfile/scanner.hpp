// SPDX-License-Identifier: Apache-2.0
// Finds the files of the paths on the command line.
// Owned by Sending; one thread.
// Symbolic links beneath a folder are not followed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/bpsendfile/parcel.hpp"
#include "apps/shared/files/sent_book.hpp"

namespace farlink::bpsendfile {

/// What a scan finds; a value of false ends it.
struct Finder {
    std::function<bool(const Source &source, const files::FileVersion &version)> on_file;
    std::function<bool(const Source &source)> on_folder;
    std::function<void(const std::string &name, const std::string &why)> on_other;
};

class Scanner {
public:
    /// `depth`: levels of folders beneath one that is named; 0: its files only.
    Scanner(std::vector<std::string> paths, std::uint64_t depth)
        : paths_(std::move(paths)), depth_(depth) {}

    /// The first path that is no file and no folder, and why; empty: all are.
    [[nodiscard]] std::string wrong_path() const;
    /// False: it was ended.
    [[nodiscard]] bool scan(const Finder &finder) const;

private:
    [[nodiscard]] bool scan_path(const Finder &finder, const std::string &path,
                                 const std::string &name, std::uint64_t depth, bool named) const;
    [[nodiscard]] bool scan_folder(const Finder &finder, const std::string &path,
                                   const std::string &name, std::uint64_t depth) const;

    std::vector<std::string> paths_;
    std::uint64_t depth_;
};

}  // namespace farlink::bpsendfile
