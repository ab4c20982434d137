// SPDX-License-Identifier: Apache-2.0
// A bundle to be sent by a link: a rendered head, and slices that are sent unchanged.
// Built by egress for one call of Link::transmit(); the link copies `head`, and may reference
// `body` until it reports the bundle's token as done. One thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"

namespace farlink {

struct TxBundle {
    ByteView head;                   ///< transient: valid during the call only
    ByteView body;                   ///< first stable piece
    std::span<const ByteView> rest;  ///< further stable pieces (a bundle of several slices)
    std::uint64_t size = 0;          ///< bytes of head, body and rest together
    std::uint64_t token = 0;         ///< increases by one with each bundle of a link
    bool continues = false;          ///< a further fragment of the bundle that the last one is of
    bool is_further_piece = false;   ///< its octets continue those of the last one: one bundle
    std::uint64_t left = 0;          ///< octets of the bundle that follow in further pieces
};

}  // namespace farlink
