// SPDX-License-Identifier: Apache-2.0
// Sends one bundle that asks for all reports, and collects them.
// A plain function; one thread, and that of the signals.
// The probe leaves by an endpoint of its own at the local node, which gets the reports.
#pragma once

#include "apps/bptrace/options.hpp"

namespace farlink::bptrace {

/// Returns the exit code.
[[nodiscard]] int run_probe(const Arguments &arguments);

}  // namespace farlink::bptrace
