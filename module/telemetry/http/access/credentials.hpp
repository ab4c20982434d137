// SPDX-License-Identifier: Apache-2.0
// The fields of a request that identify its sender.
// A value of one request.
// The server's thread only.
#pragma once

#include <string>

namespace farlink::telemetry {

struct Credentials {
    std::string address;
    std::string authorization;  ///< the field
    std::string protocols;      ///< of a WebSocket client
};

}  // namespace farlink::telemetry
