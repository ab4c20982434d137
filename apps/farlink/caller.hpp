// SPDX-License-Identifier: Apache-2.0
// Who gives a command, as the kernel says.
// Made when a client connects; a value.
// Any thread.
#pragma once

#include <sys/types.h>

#include <string>

namespace farlink::app {

struct Caller {
    uid_t user = 0;
    std::string name;  ///< of the user; its number where it has none
};

}  // namespace farlink::app
