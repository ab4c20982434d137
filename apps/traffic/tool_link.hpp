// SPDX-License-Identifier: Apache-2.0
// The links of the tools, from their URLs: the options are the keys of the node's configuration,
// and what is not given gets what suits a tool.
// Plain functions; the results are values.
// Any thread. A fault is a text for the tool's user.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cla/api/link_fault.hpp"
#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::traffic {

/// `node` is announced to the peer, unless the URL says otherwise.
[[nodiscard]] Result<config::InductConfig, std::string> way_in(std::string_view url,
                                                               std::uint64_t node);
[[nodiscard]] Result<config::OutductConfig, std::string> way_out(std::string_view url,
                                                                 std::uint64_t node);

/// Whether the layer tells what became of each bundle, so that a lost session loses none.
[[nodiscard]] bool acknowledges(const config::LinkUrl &url);
/// Whether bundles come back by the session that this side has opened.
[[nodiscard]] bool works_both_ways(const config::LinkUrl &url);

/// Why there is no connection: the last fault, if there was any.
[[nodiscard]] std::string cannot_connect(const config::LinkUrl &url, cla::LinkFault fault);

/// Memory for the loop of a tool that receives by this link, bytes.
[[nodiscard]] std::uint64_t buffer_bytes(const config::LinkOptions &link);

}  // namespace farlink::traffic
