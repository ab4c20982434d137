// SPDX-License-Identifier: Apache-2.0
// Whether somebody keeps the wall clock right.
// A plain function without state.
// Any thread.
#pragma once

namespace farlink {

/// False when the kernel says that nothing synchronises its clock; true also when it does not tell.
[[nodiscard]] bool is_clock_synchronised();

}  // namespace farlink
