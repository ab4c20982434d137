// SPDX-License-Identifier: Apache-2.0
// Folders in which files are made that get their names elsewhere: from time to time a new one.
// Owned by whoever makes the files; one thread.
// Where many files were removed within minutes, ext4 looks at the place of each of them before it
// makes one. Its parent is marked so that a new folder, and what is made in it, lies elsewhere on
// the disk. Errors are errno values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.hpp"

namespace farlink::files {

class FreshFolders {
public:
    /// Made in a folder before there is a new one: names of fewer files are found faster.
    static constexpr unsigned kFilesEach = 256;

    /// In this folder, which is borrowed; those of an earlier run are known.
    explicit FreshFolders(int parent);
    /// "fresh-7/": what the name of the next file begins with.
    [[nodiscard]] Result<std::string, int> next();
    /// What there is in them, as "fresh-7/name".
    [[nodiscard]] std::vector<std::string> names() const;

private:
    void remove_empty();

    int parent_;
    std::string current_;
    std::vector<std::string> earlier_;  ///< until they are empty
    std::uint64_t number_ = 0;          ///< of the next one
    unsigned made_ = 0;                 ///< files in the current one
};

}  // namespace farlink::files
