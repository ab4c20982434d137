// SPDX-License-Identifier: Apache-2.0
// Derives the engine's settings of a peer from a link's configuration, and warns of limits.
// Plain functions; values only.
// Any thread.
#pragma once

#include "cla/ltp/core/session/peer_config.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla::ltp {

[[nodiscard]] PeerConfig peer_config(const config::LinkOptions &link, EngineId remote);

/// Blocks above ReadBuffer::spool_above() are passed on in parts.
void set_spooling(PeerConfig &peer, const config::LinkOptions &link, const ReadBuffer &buffer);

/// Warns of limits that prevent this rate; 0: the rate is unknown, and nothing is checked.
void warn_of_limits(Logger &log, const config::LinkOptions &link, BitRate rate);

}  // namespace farlink::cla::ltp
