// SPDX-License-Identifier: Apache-2.0
// The user who gives a command: from the kernel, or from the HTTP API.
// Made when a client connects; a value.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

namespace farlink::control {

struct Caller {
    std::uint32_t user = 0;
    std::string name;      ///< of the user; its number when it has no name
    bool audited = false;  ///< by the server of the API, with the details of the HTTP request
};

}  // namespace farlink::control
