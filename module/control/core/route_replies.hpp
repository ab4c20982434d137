// SPDX-License-Identifier: Apache-2.0
// What decides where a bundle goes, and why one goes where it goes, as replies to an operator.
// Plain functions on values, any thread.
// docs/formats/control.md lists the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "common/routing/forwarding_explanation.hpp"

namespace farlink::app {

/// "bulk", "normal", "expedited".
[[nodiscard]] const char *name_of(Priority priority);

/// Everything that decides, in the order in which it does.
[[nodiscard]] nlohmann::ordered_json rules_json(const config::RoutingConfig &config,
                                                const bus::RouteUpdate &update,
                                                const std::vector<bus::LinkEntry> &links);

/// The bundle that a request asks about; what is wrong with it. A priority that is not given is the
/// one that the policies of `table` assign.
[[nodiscard]] Result<routing::BundleFacts, std::string> facts_of(
    const nlohmann::ordered_json &request, const routing::ForwardingTable &table, DtnTime now);

/// Whether a request asks about a critical bundle: it says so, or a policy of `table` does.
[[nodiscard]] Result<bool, std::string> asks_critical(const nlohmann::ordered_json &request,
                                                      const routing::BundleFacts &bundle,
                                                      const routing::ForwardingTable &table);

/// A peer that is connected, and that nothing is sent to since nothing proves its node id.
struct UnprovedPeer {
    NodeNumber node;     ///< that it claims to be
    std::string advice;  ///< what to do about it
};

/// What is true of the node beside its routes.
struct Surroundings {
    const std::vector<bus::LinkEntry> &links;
    std::uint64_t waiting_bytes = 0;  ///< that new bundles of the kind may have to stay behind
    std::vector<UnprovedPeer> unproved{};
    /// Next hops by the contact plan; routes count those only that a link leads to.
    std::vector<NodeNumber> planned{};
};
[[nodiscard]] nlohmann::ordered_json explanation_json(const routing::BundleFacts &bundle,
                                                      const routing::Explanation &explanation,
                                                      const Surroundings &around);

/// A next hop of an explanation has no link, so it is of interest who else is connected.
[[nodiscard]] bool lacks_link(const nlohmann::ordered_json &explanation);
/// Those among the links as telemetry shows them (`/api/v1/links`).
[[nodiscard]] std::vector<UnprovedPeer> unproved_peers(std::string_view links);

}  // namespace farlink::app
