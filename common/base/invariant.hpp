// SPDX-License-Identifier: Apache-2.0
// Checks a condition that farlink itself guarantees; it aborts in every build, Release too.
// Never used on received octets: a peer's fault is a counted Result.
// Any thread may call it.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace farlink {

[[noreturn]] inline void invariant_broken(const char *expression, const char *file, int line) {
    std::fprintf(stderr, "farlink: broken invariant: %s (%s:%d)\n", expression, file, line);
    std::abort();
}

}  // namespace farlink

#define FARLINK_INVARIANT(expression)                     \
    (static_cast<bool>(expression) ? static_cast<void>(0) \
                                   : ::farlink::invariant_broken(#expression, __FILE__, __LINE__))
