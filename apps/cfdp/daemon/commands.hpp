// SPDX-License-Identifier: Apache-2.0
// What farlink-cfdp asks of the daemon: a line of JSON each way.
// Plain functions.
// The loop's thread.
#pragma once

#include <string>
#include <string_view>

#include "apps/cfdp/daemon/daemon.hpp"

namespace farlink::cfdpd {

/// The reply, without the end of its line.
[[nodiscard]] std::string reply_to(Daemon &daemon, std::string_view line);

}  // namespace farlink::cfdpd
