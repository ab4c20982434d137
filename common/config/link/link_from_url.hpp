// SPDX-License-Identifier: Apache-2.0
// One link from its URL, `tcpclv4://host:port?tls=required&ca=ca.pem`: for programs that take a
// link as an argument. Plain functions, any thread; the result is the caller's.
// The options are the keys of a link in the configuration file, with the same ranges and checks.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::config {

/// Defaults are filled in; `nodeId` and, of an outduct, `nextHopNodeId` and `peerNodeId` stay empty
/// when they are not given. What was given stays in `url.options`, too. Errors: everything that is
/// wrong, a line each.
[[nodiscard]] Result<InductConfig, std::string> induct_from_url(std::string_view url);
[[nodiscard]] Result<OutductConfig, std::string> outduct_from_url(std::string_view url);

}  // namespace farlink::config
