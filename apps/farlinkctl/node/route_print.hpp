// SPDX-License-Identifier: Apache-2.0
// What decides where bundles go, and why one goes where it goes, for people.
// Plain functions; one thread.
// Each rule stands where it counts: policies, the plan, static routes, the default gateway.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farlink::ctl {

void print_routes(const nlohmann::ordered_json &reply);
void print_explanation(const nlohmann::ordered_json &reply);
/// "20 by link 1, 30 by link 2", or "none".
[[nodiscard]] std::string next_hops(const nlohmann::ordered_json &candidates);

}  // namespace farlink::ctl
