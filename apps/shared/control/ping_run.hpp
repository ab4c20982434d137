// SPDX-License-Identifier: Apache-2.0
// `farlinkctl ping`, and `bping` without --via: requests pings from a node, and prints the results.
// A plain function; one thread.
// The node sends and measures.
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

/// Returns the exit code: 0 when every request was answered, otherwise 1. `program` is the name in
/// error messages.
[[nodiscard]] int ping_by(const std::string &socket, const PingArguments &with, bool json,
                          const char *program);

}  // namespace farlink::ctl
