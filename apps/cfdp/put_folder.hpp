// SPDX-License-Identifier: Apache-2.0
// Sends the files of a folder, each in a transaction of its own.
// Called by farlink-cfdp's main(); one thread.
// Requests go to the daemon in groups, and wait while it has too many.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farlink::cfdp_command {

struct FolderPut {
    std::string socket{};
    std::string source{};              ///< a folder beneath the root of the entity
    std::string destination{};         ///< the folder at the other entity
    nlohmann::ordered_json request{};  ///< of each file, without its names
    bool wait = false;                 ///< for the ends of all transactions
    double timeout_s = 0;              ///< 0: no limit
    bool json = false;
};

/// The exit code.
[[nodiscard]] int put_folder(const FolderPut &task);

}  // namespace farlink::cfdp_command
