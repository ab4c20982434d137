// SPDX-License-Identifier: Apache-2.0
// The options that most commands have may also precede the command: `farlinkctl --json status`.
// A plain function on the words of the command line; one thread.
// CLI11 parses them as options of each command.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "apps/farlinkctl/shared/node_choice.hpp"

namespace farlink::ctl {

/// Values of the options before the command; unset, since command_first() moves them behind it.
struct LeadingOptions {
    NodeChoice node;
    bool json = false;
};

/// Adds `--config`, `--socket` and `--json` to the program, for its help and its completion.
void add_leading_options(CLI::App &app, LeadingOptions &options);

/// The words with these options, and with `--dir` of some commands, behind the command that they
/// precede.
[[nodiscard]] std::vector<std::string> command_first(const CLI::App &app,
                                                     const std::vector<std::string> &words);

}  // namespace farlink::ctl
