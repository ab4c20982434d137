// SPDX-License-Identifier: Apache-2.0
// A link that a LinkSnapshot does not name has been removed. Every module then acts as on LinkDown
// and ContactEnd, until an event or a later snapshot names the link again.
// Plain functions; any thread.
#pragma once

#include <algorithm>

#include "common/bus/messages.hpp"

namespace farlink::bus {

[[nodiscard]] inline bool names(const LinkSnapshot &snapshot, LinkId link) {
    return std::ranges::find(snapshot.links, link, &LinkEntry::link) != snapshot.links.end();
}

}  // namespace farlink::bus
