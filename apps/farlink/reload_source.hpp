// SPDX-License-Identifier: Apache-2.0
// The configuration file for reloads, with the checks that the node makes at its start.
// Made once for the supervisor, whose control agent owns the result.
// A plain function; the main thread. The checks run beside the loop.
#pragma once

#include "apps/farlink/module_choice.hpp"
#include "apps/farlink/options.hpp"
#include "module/control/core/reload/config_source.hpp"

namespace farlink::app {

/// `choice`: the modules of this process. Files of modules on other machines are not checked.
[[nodiscard]] control::ConfigSource reload_source(const Options &options,
                                                  const ModuleChoice &choice);

}  // namespace farlink::app
