// SPDX-License-Identifier: Apache-2.0
// `config import-hdtn` and `config import-ion`: another router's files become a configuration.
// The options are filled by read_options(), as those of the other commands.
// Plain functions; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/shared/import/hdtn_files.hpp"

namespace farlink::ctl {

enum class ImportVerb : std::uint8_t { kNone, kHdtn, kIon };

struct ImportOptions {
    ImportVerb verb = ImportVerb::kNone;
    HdtnRequest hdtn;
    std::vector<std::string> ion_files;
    std::optional<std::uint64_t> ion_node;  ///< if no file has its number
    std::string folder = ".";               ///< of the result
    bool force = false;
};

/// Adds the commands to `config` of `app`.
void add_import_commands(CLI::App &app, ImportOptions &options);
/// Returns the exit code.
[[nodiscard]] int run_import(const ImportOptions &options);

}  // namespace farlink::ctl
