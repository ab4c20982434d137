// SPDX-License-Identifier: Apache-2.0
// `farlinkctl cert make`: a test authority and certificates of nodes.
// A plain function, called once.
// It writes to one folder, and replaces files with --force only.
#pragma once

#include "apps/farlinkctl/cert/cert_options.hpp"

namespace farlink::ctl {

/// Returns the exit code.
[[nodiscard]] int make_certificates(const CertMakeOptions &options);

}  // namespace farlink::ctl
