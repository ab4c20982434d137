// SPDX-License-Identifier: Apache-2.0
// `farlinkctl tokens make`: a token for the HTTP API of a node.
// A plain function; main()'s thread.
// docs/guide/api.md describes tokens and roles.
#pragma once

#include "apps/farlinkctl/cert/cert_options.hpp"

namespace farlink::ctl {

/// Prints the token, which is stored nowhere, and adds its digest to the file; creates the file if
/// it is missing. A running node reads the file again when it changes. Returns the exit code.
[[nodiscard]] int make_token(const TokensMakeOptions &options);

}  // namespace farlink::ctl
