// SPDX-License-Identifier: Apache-2.0
// `farlinkctl cert show`: the fields of certificates that farlink uses.
// A plain function, called once.
// Reads only.
#pragma once

#include <string>
#include <vector>

namespace farlink::ctl {

/// Returns the exit code.
[[nodiscard]] int show_certificates(const std::vector<std::string> &files);

}  // namespace farlink::ctl
