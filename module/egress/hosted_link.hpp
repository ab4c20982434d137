// SPDX-License-Identifier: Apache-2.0
// One link that bundles leave by: an outduct of this process, or a session that ingress hosts.
// Owned by HostedLinks.
// The egress agent's thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cla/api/link.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/state_lines.hpp"
#include "module/egress/relayed_outduct.hpp"

namespace farlink::egress {

struct HostedLink {
    std::unique_ptr<cla::Outduct> outduct;
    RelayedOutduct *relayed = nullptr;  ///< the same, when ingress hosts the session
    NodeNumber neighbour;
    std::string name;  ///< for the log; of an outduct, its URL
    cla::LinkState state = cla::LinkState::kClosed;
    StateLines lines{std::chrono::minutes(10), 10};  ///< of the log, about its connections
    std::string unreachable{};                       ///< why the last attempt to connect failed
    std::string published{};                         ///< the reason that telemetry has
    std::string detail{};                            ///< of why its session ends just now
    bool leaving = false;  ///< removed, and refers to bundles until it has closed
    std::optional<config::OutductConfig> successor;  ///< takes its place then
};

}  // namespace farlink::egress
