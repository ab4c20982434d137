// SPDX-License-Identifier: Apache-2.0
// Reads the files of an ION node and converts them.
// A plain function of programs; it reads files.
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/config_import/imported.hpp"

namespace farlink {

/// Files that cannot be read are refusals of the report. `node`: its number, if no file has it.
[[nodiscard]] config::Imported read_ion(const std::vector<std::string> &files,
                                        std::optional<std::uint64_t> node);

}  // namespace farlink
