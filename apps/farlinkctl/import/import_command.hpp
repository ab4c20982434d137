// SPDX-License-Identifier: Apache-2.0
// `config import-hdtn`: the configuration of another router as farlink's.
// The options are filled by read_options(), as those of the other commands.
// Plain functions; one thread.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "apps/import/hdtn_files.hpp"

namespace farlink::ctl {

struct ImportOptions {
    bool wanted = false;
    HdtnRequest hdtn;
    std::string folder = ".";
    bool force = false;
};

/// Adds the command to the `config` of `app`.
void add_import_commands(CLI::App &app, ImportOptions &options);

[[nodiscard]] int run_import(const ImportOptions &options);

}  // namespace farlink::ctl
