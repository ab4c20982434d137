// SPDX-License-Identifier: Apache-2.0
// `farlinkctl ping`, and `bping` without a link of its own: asks a node to ping, once or several
// times, and prints what comes of it.
// A plain function; one thread.
// The node sends and measures; here is only the count.
#pragma once

#include <cstdint>
#include <string>

namespace farlink::ctl {

struct PingArguments {
    std::string destination;
    std::uint64_t count = 5;  ///< 0: until it is interrupted
    double interval_s = 1;
    std::uint64_t size_bytes = 64;
    double timeout_s = 5;
    unsigned version = 7;
};

/// By the control socket at `socket`; the exit code: 0 when every request was answered, else 1.
/// `program` speaks when something is wrong.
[[nodiscard]] int ping_by(const std::string &socket, const PingArguments &with, bool json,
                          const char *program);

}  // namespace farlink::ctl
