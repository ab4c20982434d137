// SPDX-License-Identifier: Apache-2.0
// The exit codes of `farlinkctl`, as those of `farlink`.
// Constants; any thread.
// The help text lists them.
#pragma once

namespace farlink::ctl {

inline constexpr int kExitClean = 0;
inline constexpr int kExitFailed = 1;  ///< a file or a node failed the command
inline constexpr int kExitBadUsage = 2;
inline constexpr int kExitCritical = 3;  ///< `alarms`: a critical alarm is active

}  // namespace farlink::ctl
