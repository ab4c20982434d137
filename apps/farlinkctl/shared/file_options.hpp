// SPDX-License-Identifier: Apache-2.0
// Type names of options whose value is a path, for help, manual and completion.
// Constants; any thread.
// Given to CLI11's type_name().
#pragma once

namespace farlink::ctl {

inline constexpr const char *kFile = "FILE";
inline constexpr const char *kFolder = "FOLDER";

}  // namespace farlink::ctl
