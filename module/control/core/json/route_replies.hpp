// SPDX-License-Identifier: Apache-2.0
// Replies about routes: the rules that select one, and an explanation for one bundle.
// Plain functions on values, any thread.
// docs/formats/control.md lists the fields.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "common/routing/forwarding_explanation.hpp"

namespace farlink::control {

/// "bulk", "normal", "expedited".
[[nodiscard]] const char *name_of(Priority priority);

/// All rules, in the order in which they apply.
[[nodiscard]] nlohmann::ordered_json rules_json(const config::RoutingConfig &config,
                                                const bus::RouteUpdate &update,
                                                const std::vector<bus::LinkEntry> &links);

/// The bundle of a request, or its error. Without a priority in the request, the policies of
/// `table` assign one.
[[nodiscard]] Result<routing::BundleFacts, std::string> facts_of(
    const nlohmann::ordered_json &request, const routing::ForwardingTable &table, DtnTime now);

/// Whether the bundle of a request is critical: by the request, or by a policy of `table`.
[[nodiscard]] Result<bool, std::string> asks_critical(const nlohmann::ordered_json &request,
                                                      const routing::BundleFacts &bundle,
                                                      const routing::ForwardingTable &table);

/// A peer that is connected and gets no bundles, because its node id is not proved.
struct UnprovedPeer {
    NodeNumber node;     ///< that it claims; 0: it claims a dtn name
    std::string advice;  ///< what the operator can do
    std::string name{};  ///< that dtn name
};

/// Why links are down although their contact is open.
using LinkReasons = std::map<LinkId, std::string>;

/// `fragmentBundlesLargerThanBytes`; 0, or no entry: no limit.
struct CutLimits {
    std::uint64_t node_bytes = 0;
    std::map<LinkId, std::uint64_t> link_bytes{};  ///< of outducts
};

/// The state of the node beside its routes.
struct Surroundings {
    const std::vector<bus::LinkEntry> &links;
    std::uint64_t waiting_bytes = 0;  ///< in storage, for the same destination and priority
    std::vector<UnprovedPeer> unproved{};
    /// Next hops by the contact plan; routes have only those with a link.
    std::vector<NodeNumber> planned{};
    std::string destination_name{};  ///< node_name_of() the request
    LinkReasons reasons{};
    CutLimits cut{};
    std::string plan_words{};  ///< why the plan may have no route
    LinkReasons silent{};      ///< links whose modules have no heartbeats
    std::string endpoint{};    ///< endpoint_name_of() the request
};
/// The destination of the request if it is no ipn endpoint, "dtn://seven/inbox"; else empty.
[[nodiscard]] std::string endpoint_name_of(const nlohmann::ordered_json &request);
/// What becomes of a bundle from or to the null endpoint or the local node (RFC 9758), which no
/// rule decides; empty for any other bundle. `own` is the number of this node.
[[nodiscard]] std::string reserved_outcome(const routing::BundleFacts &bundle, NodeNumber own);
/// The node of a dtn destination, "dtn://seven/"; empty for any other.
[[nodiscard]] std::string node_name_of(const nlohmann::ordered_json &request);
[[nodiscard]] nlohmann::ordered_json explanation_json(const routing::BundleFacts &bundle,
                                                      const routing::Explanation &explanation,
                                                      const Surroundings &around);

/// A next hop of the explanation has no link, and peers that are not proved may explain why; or its
/// link is down, and has a reason.
[[nodiscard]] bool needs_reasons(const routing::Explanation &explanation,
                                 const std::vector<bus::LinkEntry> &links);
/// The unproved peers in the links of telemetry (`/api/v1/links`).
[[nodiscard]] std::vector<UnprovedPeer> unproved_peers(std::string_view links);
/// The reasons in the links of telemetry.
[[nodiscard]] LinkReasons link_reasons(std::string_view links);

}  // namespace farlink::control
