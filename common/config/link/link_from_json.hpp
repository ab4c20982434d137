// SPDX-License-Identifier: Apache-2.0
// One link from its JSON object, as in inductsConfig or outductsConfig: for links that come while
// the node runs. Plain functions, any thread; the result is the caller's, without an id. Without a
// folder in `context`, the names of its files must be absolute.
// Whether the link fits the other links of the node (ports, next hops) is the caller's to check.
#pragma once

#include <string_view>

#include "common/base/result.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/link/link_checks.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::config {

[[nodiscard]] Result<InductConfig, ConfigErrors> induct_from_json(std::string_view json,
                                                                  const LinkContext &context = {});
[[nodiscard]] Result<OutductConfig, ConfigErrors> outduct_from_json(
    std::string_view json, const LinkContext &context = {});

}  // namespace farlink::config
