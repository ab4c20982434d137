// SPDX-License-Identifier: Apache-2.0
// The field tables of links: `inductsConfig[]` and `outductsConfig[]`.
// Constant, made on first use; any thread.
// A link's URL has the same fields as options.
#pragma once

#include "common/config/fields/field_table.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::config {

[[nodiscard]] const Table<InductConfig> &induct_table();
[[nodiscard]] const Table<OutductConfig> &outduct_table();
/// As outduct_table() with an optional `nextHopNodeId`, for programs that send to one peer.
[[nodiscard]] const Table<OutductConfig> &outduct_url_table();

}  // namespace farlink::config
