// SPDX-License-Identifier: Apache-2.0
// What this x86-64 processor can do, as far as farlink's kernels ask.
// Plain functions.
// Any thread; the kernel tables ask once.
#pragma once

#if defined(__x86_64__)

namespace farlink::codec::x86 {

[[nodiscard]] inline bool has_clmul() {
    return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0;
}

[[nodiscard]] inline bool has_wide_clmul() {
    return has_clmul() && __builtin_cpu_supports("avx512f") != 0 &&
           __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
           __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0;
}

[[nodiscard]] inline bool has_bmi2() {
    return __builtin_cpu_supports("bmi2") != 0;
}

}  // namespace farlink::codec::x86

#endif
