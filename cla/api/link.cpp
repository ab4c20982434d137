// SPDX-License-Identifier: Apache-2.0
#include "cla/api/link.hpp"

namespace farlink::cla {

std::string_view to_string(LinkFault fault) {
    switch (fault) {
        case LinkFault::kNone:
            return "none";
        case LinkFault::kPeerClosed:
            return "peer_closed";
        case LinkFault::kConnectFailed:
            return "connect_failed";
        case LinkFault::kIoError:
            return "io_error";
        case LinkFault::kFrameTooLarge:
            return "frame_too_large";
        case LinkFault::kTooManySessions:
            return "too_many_sessions";
        case LinkFault::kTruncatedBundle:
            return "truncated_bundle";
    }
    return "unknown";
}

}  // namespace farlink::cla
