// SPDX-License-Identifier: Apache-2.0
// How a program ends, with an error or without.
// A plain function; any thread.
// The name is that by which the program was started.
#pragma once

#include <string>

namespace farlink {

// Exit codes that programs have in common.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

/// Prints "NAME: what" to standard error, and returns the exit code.
int complain(const std::string &what, int code);

}  // namespace farlink
