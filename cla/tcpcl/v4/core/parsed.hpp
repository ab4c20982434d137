// SPDX-License-Identifier: Apache-2.0
// What became of the octets that a session gave to one of its parts.
// A value.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink::cla::tcpclv4 {

enum class Parsed : std::uint8_t {
    kDone,        ///< the messages of the part's kind are taken
    kIncomplete,  ///< the message at the front needs more octets
    kFault,       ///< the session must end; the reason is queued for the peer
};

}  // namespace farlink::cla::tcpclv4
