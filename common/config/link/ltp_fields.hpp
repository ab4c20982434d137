// SPDX-License-Identifier: Apache-2.0
// The fields of links that speak LTP.
// Made for a table of links, which owns them; any thread.
// The keys are those that operators of LTP know from other systems.
#pragma once

#include <vector>

#include "common/config/link/link_option_fields.hpp"

namespace farlink::config {

[[nodiscard]] std::vector<Field<LinkOptions>> ltp_fields();
/// Those of an entry of an induct's `neighbours`.
[[nodiscard]] std::vector<Field<NeighbourAddress>> ltp_neighbour_key_fields();
/// Those of outducts only.
[[nodiscard]] std::vector<Field<OutductConfig>> ltp_neighbour_fields();

}  // namespace farlink::config
