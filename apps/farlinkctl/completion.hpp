// SPDX-License-Identifier: Apache-2.0
// Generates a bash completion script from the description of the command line.
// A plain function; any thread.
// It covers every command and option, since CLI11 lists them.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace farlink::ctl {

/// The script for the program `name` with the commands of `app`. Values of type kFile or kFolder
/// are completed by paths, values of a set by its words.
[[nodiscard]] std::string bash_completion(const CLI::App &app, const std::string &name);

}  // namespace farlink::ctl
