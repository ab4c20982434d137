// SPDX-License-Identifier: Apache-2.0
// A script by which bash completes the command line, made of the command line's own description.
// A plain function; any thread.
// So it knows every command and option there is, and is never out of date.
#pragma once

#include <CLI/App.hpp>
#include <string>

namespace farlink::ctl {

/// For the program `name`, whose commands `app` has. A value is completed by files or folders where
/// its type is kFile or kFolder, and by words where only some are allowed.
[[nodiscard]] std::string bash_completion(const CLI::App &app, const std::string &name);

}  // namespace farlink::ctl
