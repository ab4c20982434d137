// SPDX-License-Identifier: Apache-2.0
// The folder with the sockets between the processes of an isolated node.
// Owned by the Isolation; the main thread.
// It is gone with its owner. When owner and processes were all killed at once it stays, and the
// next node of the same user clears it away.
#pragma once

#include <filesystem>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::app {

class BusFolder {
public:
    /// In the folder of the user's session, if there is one, or in /tmp.
    [[nodiscard]] static std::filesystem::path usual_place();

    /// Makes one in `place`, for this user alone, and removes those there that nobody uses any
    /// more.
    explicit BusFolder(const std::filesystem::path &place = usual_place());
    ~BusFolder();
    BusFolder(const BusFolder &) = delete;
    BusFolder &operator=(const BusFolder &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
    std::filesystem::path path_;
    /// Locked while this process, or one that it has started and that has it open, lives.
    FileDescriptor lock_;
};

}  // namespace farlink::app
