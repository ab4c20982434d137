// SPDX-License-Identifier: Apache-2.0
// The exit code of farlink-cfdp that other programs do not have.
// A constant.
// Any thread.
#pragma once

namespace farlink::cfdp_command {

inline constexpr int kExitNoDaemon = 3;

}  // namespace farlink::cfdp_command
