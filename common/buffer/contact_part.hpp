// SPDX-License-Identifier: Apache-2.0
// The least part of a bundle for which it is cut at the end of a contact: a smaller one saves too
// little of the next contact for its head, and for the work of joining it.
// Any thread.
#pragma once

#include <cstdint>

namespace farlink {

inline constexpr std::uint64_t kLeastPartBytes = 1024;

}  // namespace farlink
