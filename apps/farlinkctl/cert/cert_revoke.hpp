// SPDX-License-Identifier: Apache-2.0
// `farlinkctl cert revoke`: the revocation list of a test authority.
// A plain function, called once.
// It replaces one file.
#pragma once

#include "apps/farlinkctl/cert/cert_options.hpp"

namespace farlink::ctl {

/// Returns the exit code.
[[nodiscard]] int revoke_certificates(const CertRevokeOptions &options);

}  // namespace farlink::ctl
