// SPDX-License-Identifier: Apache-2.0
// The folder beneath which files are written, and nothing outside of it.
// Owned by whoever writes there; one thread.
// Names are resolved by openat2() without symbolic links and without leaving the folder.
// Errors are errno values; 0: done.
#pragma once

#include <sys/stat.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::files {

class TargetFolder {
public:
    /// Creates the folder if there is none. The error is a text for people.
    [[nodiscard]] static Result<TargetFolder, std::string> open(const std::string &path);

    [[nodiscard]] int descriptor() const { return root_.get(); }
    [[nodiscard]] const std::string &path() const { return path_; }

    /// The descriptor of a folder beneath, made where it is missing; empty name: the folder itself.
    /// It is valid until the next call of a function that is not const.
    [[nodiscard]] Result<int, int> folder(std::string_view name);
    /// Makes a folder with these permissions, without any with those that the mask of the user
    /// leaves; one that is there stays as it is.
    [[nodiscard]] int make_folder(std::string_view name, std::optional<mode_t> mode = {});
    /// A file beneath, to be read; ELOOP or EXDEV where the name leads elsewhere.
    [[nodiscard]] Result<FileDescriptor, int> read(std::string_view name) const;

    /// All folders that folder() has given are on disk. `many`: names have changed in many.
    [[nodiscard]] int sync_folders(bool many = false);
    /// The same folders, for another thread: all are on disk once each of these is flushed. None:
    /// too many, or an error; they are flushed by a sync of all.
    [[nodiscard]] std::optional<std::vector<FileDescriptor>> take_folders(std::size_t most);
    /// sync_all() makes all of the file system durable, and reports what fails.
    [[nodiscard]] bool can_sync_all() const { return can_sync_all_; }
    [[nodiscard]] int sync_all() const;

private:
    TargetFolder(std::string path, FileDescriptor root);
    [[nodiscard]] Result<FileDescriptor, int> open_beneath(int from, std::string_view name,
                                                           int flags) const;

    std::string path_;
    FileDescriptor root_;
    bool can_sync_all_ = false;
    bool root_used_ = false;
    std::map<std::string, FileDescriptor, std::less<>> used_;  ///< since the last sync_folders()
};

}  // namespace farlink::files
