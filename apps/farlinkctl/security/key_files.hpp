// SPDX-License-Identifier: Apache-2.0
// `farlinkctl security keys`: makes, lists and retires keys of bundles' security in files.
// Plain functions; main()'s thread.
// They return exit codes. Secrets are written to the file alone, and wiped from memory.
#pragma once

#include "apps/farlinkctl/security/security_options.hpp"

namespace farlink::ctl {

[[nodiscard]] int make_key(const SecurityOptions &options);
[[nodiscard]] int list_keys(const SecurityOptions &options);
[[nodiscard]] int retire_key(const SecurityOptions &options);

}  // namespace farlink::ctl
