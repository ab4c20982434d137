// SPDX-License-Identifier: Apache-2.0
// The fields that inducts and outducts share.
// Made for a table of links, which owns them; any thread.
// The meaning of a key, and the convergence layers that use it, may differ between the two.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "common/config/fields/field_table.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::config {

/// Convergence layers by their features, as FieldInfo::schemes.
inline constexpr std::array<std::string_view, 1> kLayersWithTls{"tcpclv4"};
inline constexpr std::array<std::string_view, 2> kLayersWithSessions{"tcpclv3", "tcpclv4"};
inline constexpr std::array<std::string_view, 4> kLayersOverTcp{"stcp", "mtcp", "tcpclv3",
                                                                "tcpclv4"};
inline constexpr std::array<std::string_view, 1> kLayersWithDatagrams{"udp"};
inline constexpr std::array<std::string_view, 1> kLtp{"ltp"};
inline constexpr std::array<std::string_view, 5> kLayersWithPeers{"stcp", "mtcp", "tcpclv3",
                                                                  "tcpclv4", "ltp"};
inline constexpr std::array<std::string_view, 3> kLayersWithNeighbours{"tcpclv3", "tcpclv4", "ltp"};

inline constexpr std::array<std::string_view, 5> kLayersWithKeepAlives{"stcp", "mtcp", "tcpclv3",
                                                                       "tcpclv4", "udp"};

enum class LinkSide : std::uint8_t { kInduct, kOutduct };

[[nodiscard]] std::vector<Field<LinkOptions>> link_option_fields(LinkSide side);

/// Lengths in frames and on disk are 32-bit numbers; on disk a record's header comes on top.
inline constexpr std::uint64_t kLargestBundleBytes = 0xfff0'0000;
/// Of a UDP datagram over IPv6; over IPv4 it is 20 less.
inline constexpr std::uint64_t kLargestDatagramBytes = 65'527;

}  // namespace farlink::config
