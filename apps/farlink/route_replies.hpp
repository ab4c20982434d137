// SPDX-License-Identifier: Apache-2.0
// What decides where a bundle goes, and why one goes where it goes, as replies to an operator.
// Plain functions on values, any thread.
// docs/formats/control.md lists the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node_config.hpp"
#include "common/routing/forwarding_explanation.hpp"

namespace farlink::app {

/// Everything that decides, in the order in which it does.
[[nodiscard]] nlohmann::ordered_json rules_json(const config::RoutingConfig &config,
                                                const bus::RouteUpdate &update);

/// The bundle that a request asks about; what is wrong with it. A priority that is not given is the
/// one that the policies of `table` assign.
[[nodiscard]] Result<routing::BundleFacts, std::string> facts_of(
    const nlohmann::ordered_json &request, const routing::ForwardingTable &table, DtnTime now);

[[nodiscard]] nlohmann::ordered_json explanation_json(const routing::BundleFacts &bundle,
                                                      const routing::Explanation &explanation);

}  // namespace farlink::app
