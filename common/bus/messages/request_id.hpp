// SPDX-License-Identifier: Apache-2.0
// The number that joins a reply to its request.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>

#include "common/base/types.hpp"

namespace farlink::bus {

/// Joins a reply to its request: the requester chooses it, and the reply repeats it. Numbers rise,
/// also over a restart, so that a reply to an earlier process matches nothing.
using RequestId = Strong<struct RequestIdTag, std::uint64_t>;
/// Of a message that is no reply, and of a request whose reply is an event like any other.
inline constexpr RequestId kNoRequest{};

}  // namespace farlink::bus
