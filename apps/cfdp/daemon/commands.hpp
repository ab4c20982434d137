// SPDX-License-Identifier: Apache-2.0
// What farlink-cfdp asks of the daemon: a line of JSON each way.
// Plain functions.
// The loop's thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apps/cfdp/daemon/daemon.hpp"

namespace farlink::cfdpd {

struct Reply {
    std::string text{};  ///< a line
    /// A transaction that has begun: the reply waits until it is on disk.
    std::optional<cfdp::TransactionId> begun{};
};

/// pump() follows the last one.
[[nodiscard]] Reply reply_to(Daemon &daemon, std::string_view line);
/// In place of a reply whose transaction is not on disk.
[[nodiscard]] Reply unsaved_reply(const std::string &reason);

}  // namespace farlink::cfdpd
