// SPDX-License-Identifier: Apache-2.0
// Who gives a command, as the kernel says, or the HTTP API.
// Made when a client connects; a value.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink::app {

struct Caller {
    std::uint32_t user = 0;
    std::string name;      ///< of the user; its number where it has none
    bool audited = false;  ///< by the API's server, which knows more of the request
};

}  // namespace farlink::app
