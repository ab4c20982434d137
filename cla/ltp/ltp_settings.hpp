// SPDX-License-Identifier: Apache-2.0
// From a link's configuration to what the engine is told of a peer, and what the operator should
// know about it.
// Plain functions; values only.
// Any thread.
#pragma once

#include "cla/ltp/core/session/peer_config.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla::ltp {

[[nodiscard]] PeerConfig peer_config(const config::LinkOptions &link, EngineId remote);

/// Warns of limits that keep the link from being filled at this rate; 0: nothing is known.
void warn_of_limits(Logger &log, const config::LinkOptions &link, BitRate rate);

}  // namespace farlink::cla::ltp
