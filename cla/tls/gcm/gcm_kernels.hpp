// SPDX-License-Identifier: Apache-2.0
// The functions of intel-ipsec-mb that do AES-GCM, for the two key sizes that TLS uses.
// Found once a process, constant from then on; any thread.
// They are offered only where they are faster than OpenSSL's own and have passed a self-test.
#pragma once

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <intel-ipsec-mb.h>

#include <cstddef>
#include <string>

#include "common/base/result.hpp"

namespace farlink::cla {

/// AES-GCM with keys of one size. None of these functions keeps anything of its own between calls,
/// so that all threads share them.
struct GcmKernels {
    std::size_t key_bytes;
    aes_gcm_pre_t expand_key;
    aes_gcm_init_t begin;
    aes_gcm_enc_dec_update_t seal;
    aes_gcm_enc_dec_update_t open;
    aes_gcm_enc_dec_finalize_t end_sealing;
    aes_gcm_enc_dec_finalize_t end_opening;
};

struct GcmKernelSet {
    GcmKernels aes128;
    GcmKernels aes256;
};

/// Or why OpenSSL's own AES-GCM is the better one here: "no AVX-512 with VAES".
[[nodiscard]] const Result<GcmKernelSet, std::string> &fast_gcm();

/// Those of this processor whatever their speed, untested.
[[nodiscard]] GcmKernelSet gcm_of_this_processor();

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
