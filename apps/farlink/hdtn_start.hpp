// SPDX-License-Identifier: Apache-2.0
// Starts a node with HDTN's files: they are converted, and the result is its configuration.
// Called by main() before the configuration is read.
// One thread.
#pragma once

#include <optional>
#include <string>

#include "apps/farlink/options.hpp"

namespace farlink::app {

/// The folder that `--check` converts into; removed at the end.
class ScratchFolder {
public:
    ScratchFolder() = default;
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder &) = delete;
    ScratchFolder &operator=(const ScratchFolder &) = delete;

    /// Empty if it cannot be made.
    [[nodiscard]] const std::string &make();

private:
    std::string path_;
};

/// Without `--hdtn-config-file` nothing happens. Otherwise `config_file` becomes the converted one;
/// an exit code when the files are refused.
[[nodiscard]] std::optional<int> convert_hdtn(Options &options, ScratchFolder &scratch);

}  // namespace farlink::app
