// SPDX-License-Identifier: Apache-2.0
// The reply to `bundle find` as text.
// Plain functions; one thread.
// docs/formats/control.md describes the reply.
#pragma once

#include <nlohmann/json.hpp>

namespace farlink::ctl {

void print_found(const nlohmann::ordered_json &reply);
/// Whether the node has or had such a bundle.
[[nodiscard]] bool has_found(const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
