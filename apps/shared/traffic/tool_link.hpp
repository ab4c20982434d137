// SPDX-License-Identifier: Apache-2.0
// The links of tools from URLs: options are keys of the node's configuration, with defaults for
// tools.
// Plain functions; the results are values.
// Any thread. A fault is a text for the tool's user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/shared/traffic/link_trouble.hpp"
#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::traffic {

/// `node` is announced to the peer, unless the URL has `nodeId`.
[[nodiscard]] Result<config::InductConfig, std::string> way_in(std::string_view url,
                                                               std::uint64_t node);
[[nodiscard]] Result<config::OutductConfig, std::string> way_out(std::string_view url,
                                                                 std::uint64_t node);

/// True when the convergence layer acknowledges bundles, so that a lost session loses none.
[[nodiscard]] bool acknowledges(const config::LinkUrl &url);
/// True when bundles can arrive by the session that this side opened.
[[nodiscard]] bool works_both_ways(const config::LinkUrl &url);

/// The link is not connected, and why.
[[nodiscard]] std::string cannot_connect(const config::LinkUrl &url, const LinkTrouble &trouble);

/// Memory for the loop of a tool that receives by this link, bytes.
[[nodiscard]] std::uint64_t buffer_bytes(const config::LinkOptions &link);

}  // namespace farlink::traffic
