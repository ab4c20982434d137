// SPDX-License-Identifier: Apache-2.0
// Reads HDTN's files, converts them, and writes what came of it into a folder.
// Plain functions of programs; they read and write files.
// One thread. The result passes the checks of a node, or nothing is written.
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
[[nodiscard]] config::HdtnImport read_hdtn(const HdtnRequest &request);

/// Writes the configuration, the plan and the report, the configuration last. Returns why it
/// failed, and then has removed what it wrote; empty: done. Files that are there are kept, and the
/// import fails, unless `replace` is set.
[[nodiscard]] std::string write_import(const config::HdtnImport &made, const std::string &folder,
                                       bool replace);

}  // namespace farlink
