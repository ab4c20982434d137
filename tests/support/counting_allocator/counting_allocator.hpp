// SPDX-License-Identifier: Apache-2.0
// How often this program has asked operator new for memory.
// The program's global operators are replaced, for all of its tests.
// Any thread; all threads are counted together.
#pragma once

#include <cstddef>

namespace farlink::test {

[[nodiscard]] std::size_t allocations();

}  // namespace farlink::test
