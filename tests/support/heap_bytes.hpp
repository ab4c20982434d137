// SPDX-License-Identifier: Apache-2.0
// How much memory this program has from the allocator of the C library.
// A plain function for tests.
// Any thread.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace farlink::test {

/// 0 under a sanitizer, whose allocator does not count.
inline std::size_t heap_bytes() {
    const struct mallinfo2 all = ::mallinfo2();
    return all.uordblks + all.hblkhd;
}

}  // namespace farlink::test
