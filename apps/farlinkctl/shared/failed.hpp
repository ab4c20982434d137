// SPDX-License-Identifier: Apache-2.0
// The message and the exit code of a command that fails.
// A plain function, called by the commands.
// It writes to standard error.
#pragma once

#include <cstdio>
#include <string>

#include "apps/farlinkctl/shared/exit_code.hpp"

namespace farlink::ctl {

/// Prints the reason; returns the exit code.
[[nodiscard]] inline int failed(const std::string &why) {
    std::fprintf(stderr, "farlinkctl: %s\n", why.c_str());
    return kExitFailed;
}

}  // namespace farlink::ctl
