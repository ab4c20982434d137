// SPDX-License-Identifier: Apache-2.0
// `farlinkctl security`: keys in files, and the rules of a configuration explained.
// A plain function; main()'s thread.
// It returns the exit code.
#pragma once

#include "apps/farlinkctl/security/security_options.hpp"

namespace farlink::ctl {

[[nodiscard]] int run_security(const SecurityOptions &options);

}  // namespace farlink::ctl
