// SPDX-License-Identifier: Apache-2.0
// `farlinkctl cert`, `keys` and `tokens`: files of credentials.
// A plain function; one thread.
// A build without TLS refuses `cert`.
#pragma once

#include "apps/farlinkctl/cert/cert_options.hpp"

namespace farlink::ctl {

/// Runs the command that `options.verb` names; returns the exit code.
[[nodiscard]] int run_cert(const CertOptions &options);

}  // namespace farlink::ctl
