// SPDX-License-Identifier: Apache-2.0
// Whether the AES-GCM of this processor agrees with the standard, before keys depend on it.
// A plain function; the result is a value.
// Any thread.
#pragma once

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include "cla/tls/gcm/gcm_kernels.hpp"

namespace farlink::cla {

/// Seals and opens the known answers of both key sizes, short and long, and tries wrong tags.
[[nodiscard]] bool passes_gcm_self_test(const GcmKernelSet &kernels);

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
