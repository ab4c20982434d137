// SPDX-License-Identifier: Apache-2.0
// How a program ends with an error.
// A plain function; any thread.
// The name is that by which the program was started.
#pragma once

#include <string>

namespace farlink {

/// Prints "NAME: what" to standard error, and returns the exit code.
int complain(const std::string &what, int code);

}  // namespace farlink
