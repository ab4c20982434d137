// SPDX-License-Identifier: Apache-2.0
// `farlinkctl cert make`: a test authority and certificates of nodes.
// A plain function, called once.
// Writes into one folder only, and over nothing that it was not told to replace.
#pragma once

#include "apps/farlinkctl/cert/cert_options.hpp"

namespace farlink::ctl {

/// Returns the exit code.
[[nodiscard]] int make_certificates(const CertMakeOptions &options);

}  // namespace farlink::ctl
