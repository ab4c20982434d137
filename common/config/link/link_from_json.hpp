// SPDX-License-Identifier: Apache-2.0
// Reads one link from its JSON object, as in inductsConfig or outductsConfig, for links that are
// added at run time. Plain functions, any thread; the result has no id. Without a folder in
// `context`, file names must be absolute.
// The caller checks the link against the other links of the node (ports, next hops).
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
