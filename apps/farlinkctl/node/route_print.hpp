// SPDX-License-Identifier: Apache-2.0
// Rules of routing, and the explanation of the route of one bundle, as text.
// Plain functions; one thread.
// The rules are in the order in which they apply: policies, plan, static routes, default gateway.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farlink::ctl {

void print_routes(const nlohmann::ordered_json &reply);
/// The bundle whose route is explained, on one line.
[[nodiscard]] std::string explained_bundle(const nlohmann::ordered_json &reply);
void print_explanation(const nlohmann::ordered_json &reply);
/// "20 by link 1, 30 by link 2", or "none".
[[nodiscard]] std::string next_hops(const nlohmann::ordered_json &candidates);

}  // namespace farlink::ctl
