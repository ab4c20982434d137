// SPDX-License-Identifier: Apache-2.0
// The bundles in what one side of a connection has sent: TCPCLv3, TCPCLv4, STCP, MTCP.
// Plain functions over borrowed octets.
// Any thread.
#pragma once

#include <functional>
#include <string_view>

#include "common/base/bytes.hpp"

namespace farlink::inspect {

struct StreamBundle {
    std::string_view protocol;  ///< "tcpclv4"
    Bytes octets;
    std::uint64_t at = 0;  ///< where in the stream its first segment begins
};
using OnStreamBundle = std::function<void(StreamBundle)>;

struct StreamResult {
    std::string_view protocol;  ///< "tcpclv4"; empty: no stream of bundles
    std::string_view fault;     ///< why reading has ended; empty: at the end of the stream
};

/// The protocol is found by the first octets.
StreamResult read_stream(ByteView stream, const OnStreamBundle &on_bundle);

}  // namespace farlink::inspect
