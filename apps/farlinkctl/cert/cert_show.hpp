// SPDX-License-Identifier: Apache-2.0
// `farlinkctl cert show`: what certificates say, as farlink understands them.
// A plain function, called once.
// Reads only.
#pragma once

#include <string>
#include <vector>

namespace farlink::ctl {

/// Returns the exit code.
[[nodiscard]] int show_certificates(const std::vector<std::string> &files);

}  // namespace farlink::ctl
