// SPDX-License-Identifier: Apache-2.0
// Writes what an importer has made into a folder.
// A plain function of programs; it writes files.
// One thread.
#pragma once

#include <string>

#include "common/config_import/imported.hpp"

namespace farlink {

/// Writes the configuration, the plan and the report, the configuration last. Returns why it
/// failed, and then has removed what it wrote; empty: done. Files that are there are kept, and the
/// import fails, unless `replace` is set.
[[nodiscard]] std::string write_import(const config::Imported &made, const std::string &folder,
                                       bool replace);

}  // namespace farlink
