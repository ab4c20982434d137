// SPDX-License-Identifier: Apache-2.0
// The bundles in a capture file: in datagrams, and in the streams of connections.
// Plain functions over borrowed octets.
// Any thread.
#pragma once

#include <set>

#include "apps/bpinspect/input/found.hpp"

namespace farlink::inspect {

/// RFC 7122 section 3.6, RFC 9174 section 8.1.
inline constexpr std::uint16_t kBundlePort = 4556;

/// Calls `on_found` for each bundle; false where the file is damaged. A datagram is a bundle if
/// it is to or from one of `ports`, or if it is one without fault.
bool read_capture(ByteView file, const std::set<std::uint16_t> &ports, const OnFound &on_found,
                  Notes &notes);

}  // namespace farlink::inspect
