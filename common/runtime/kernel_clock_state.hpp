// SPDX-License-Identifier: Apache-2.0
// Whether the wall clock is synchronised.
// A plain function without state.
// Any thread.
#pragma once

namespace farlink {

/// False if the kernel reports its clock as unsynchronised; true if it reports nothing.
[[nodiscard]] bool is_clock_synchronised();

}  // namespace farlink
