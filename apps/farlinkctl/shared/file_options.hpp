// SPDX-License-Identifier: Apache-2.0
// How an option is marked whose value is a path: help and manual say so, and a shell completes it.
// Constants; any thread.
// Given to CLI11's type_name().
#pragma once

namespace farlink::ctl {

inline constexpr const char *kFile = "FILE";
inline constexpr const char *kFolder = "FOLDER";

}  // namespace farlink::ctl
