// SPDX-License-Identifier: Apache-2.0
// Exits and overrides of ION as the section `routing`.
// A plain function on values; any thread.
// ION asks an exit last, and of several the one with the fewest nodes; so does the result.
#pragma once

#include <nlohmann/json.hpp>

#include "common/config_import/ion/command_verdicts.hpp"
#include "common/config_import/ion/link_assembly.hpp"
#include "common/config_import/ion/node_draft.hpp"

namespace farlink::config {

/// The section; empty if nothing needs it.
[[nodiscard]] nlohmann::ordered_json assemble_routes(const NodeDraft &draft,
                                                     const ImportedLinks &links,
                                                     CommandVerdicts &verdicts);

}  // namespace farlink::config
