// SPDX-License-Identifier: Apache-2.0
// The folder with the sockets between the processes of an isolated node.
// Owned by the Isolation; the main thread.
// Its owner removes it. When owner and processes were all killed at once it stays, and the next
// node of the same user removes it.
#pragma once

#include <filesystem>
#include <string>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::control {

class BusFolder {
public:
    /// The folder of the user's session, or /tmp.
    [[nodiscard]] static std::filesystem::path usual_place();

    /// Makes a folder in `place` with mode 0700, and removes those of the user there that are not
    /// in use.
    /// The error, or nothing.
    [[nodiscard]] std::string open(const std::filesystem::path &place = usual_place());
    BusFolder() = default;
    ~BusFolder();
    BusFolder(const BusFolder &) = delete;
    BusFolder &operator=(const BusFolder &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
    std::filesystem::path path_;
    /// Locked as long as this process lives, or one that it has started.
    FileDescriptor lock_;
};

}  // namespace farlink::control
