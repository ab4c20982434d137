// SPDX-License-Identifier: Apache-2.0
// The one rule about links that a LinkSnapshot does not name: they have been removed. Every module
// takes such a link as it takes LinkDown and ContactEnd together, until an event or a later
// snapshot names it again. Plain functions; any thread.
#pragma once

#include <algorithm>

#include "common/bus/messages.hpp"

namespace farlink::bus {

[[nodiscard]] inline bool names(const LinkSnapshot &snapshot, LinkId link) {
    return std::ranges::find(snapshot.links, link, &LinkEntry::link) != snapshot.links.end();
}

}  // namespace farlink::bus
