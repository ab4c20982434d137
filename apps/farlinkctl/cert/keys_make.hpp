// SPDX-License-Identifier: Apache-2.0
// `farlinkctl keys make`: the CURVE keys of a node whose modules run in several processes.
// A plain function; main()'s thread.
// It returns the exit code.
#pragma once

#include <string>

namespace farlink::ctl {

/// Writes `bus.public` and `bus.secret` to the folder, which is created if missing. Existing files
/// are not replaced.
[[nodiscard]] int make_keys(const std::string &directory);

}  // namespace farlink::ctl
