// SPDX-License-Identifier: Apache-2.0
// Reads one link from its URL, `tcpclv4://host:port?tls=required&ca=ca.pem`, for programs with a
// link as an argument. Plain functions, any thread.
// The options are the keys of a link in the configuration file, with the same ranges and checks.
#pragma once

#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::config {

/// Defaults are filled in; `nodeId` and, of an outduct, `nextHopNodeId` and `peerNodeId` stay empty
/// if not given. Given options also stay in `url.options`. Errors: one line for each.
[[nodiscard]] Result<InductConfig, std::string> induct_from_url(std::string_view url);
[[nodiscard]] Result<OutductConfig, std::string> outduct_from_url(std::string_view url);

}  // namespace farlink::config
