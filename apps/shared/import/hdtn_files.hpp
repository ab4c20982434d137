// SPDX-License-Identifier: Apache-2.0
// Reads HDTN's files and converts them.
// A plain function of programs; it reads files.
// One thread. The result passes the checks of a node, or it is refused.
#pragma once

#include <string>

#include "common/config_import/hdtn/hdtn_import.hpp"

namespace farlink {

struct HdtnRequest {
    std::string config_file;
    std::string plan_file{};  ///< empty: none
    bool unix_timestamps = false;
    bool trust_like_hdtn = false;
};

/// Files that cannot be read, and a result that a node would not take, are refusals of the report.
[[nodiscard]] config::Imported read_hdtn(const HdtnRequest &request);

}  // namespace farlink
