// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/gcm_kernels.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <memory>

#include "cla/tls/gcm/gcm_self_test.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla {
namespace {

/// What four blocks at a time takes. Without it the library is no faster than OpenSSL, which
/// measures the same with one block at a time (docs/adr/0010-a-provider-for-aes-gcm.md).
constexpr std::uint64_t kWideInstructions =
    IMB_FEATURE_AVX512_SKX | IMB_FEATURE_VAES | IMB_FEATURE_VPCLMULQDQ;

struct FreeManager {
    void operator()(IMB_MGR *manager) const { free_mb_mgr(manager); }
};
using Manager = std::unique_ptr<IMB_MGR, FreeManager>;

/// Chooses the functions by the processor; these outlive it.
Manager make_manager() {
    Manager manager(alloc_mb_mgr(0));
    FARLINK_INVARIANT(manager != nullptr);
    IMB_ARCH chosen = IMB_ARCH_NONE;
    init_mb_mgr_auto(manager.get(), &chosen);
    return manager;
}

GcmKernelSet kernels_of(const IMB_MGR &manager) {
    return {
        .aes128 = {IMB_GCM_128_KEY_LEN, manager.gcm128_pre, manager.gcm128_init,
                   manager.gcm128_enc_update, manager.gcm128_dec_update,
                   manager.gcm128_enc_finalize, manager.gcm128_dec_finalize},
        .aes256 = {IMB_GCM_256_KEY_LEN, manager.gcm256_pre, manager.gcm256_init,
                   manager.gcm256_enc_update, manager.gcm256_dec_update,
                   manager.gcm256_enc_finalize, manager.gcm256_dec_finalize},
    };
}

Result<GcmKernelSet, std::string> find_fast_gcm() {
    const Manager manager = make_manager();
    const bool wide = manager->used_arch >= IMB_ARCH_AVX512 &&
                      (manager->features & kWideInstructions) == kWideInstructions;
    if (!wide) return fail(std::string("no AVX-512 with VAES"));
    const GcmKernelSet kernels = kernels_of(*manager);
    if (!passes_gcm_self_test(kernels))
        return fail(std::string("intel-ipsec-mb failed its self-test"));
    return kernels;
}

}  // namespace

const Result<GcmKernelSet, std::string> &fast_gcm() {
    static const auto found = find_fast_gcm();
    return found;
}

GcmKernelSet gcm_of_this_processor() {
    return kernels_of(*make_manager());
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
