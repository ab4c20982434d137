// SPDX-License-Identifier: Apache-2.0
#include "common/bp/base/bundle_view.hpp"

namespace farlink::bp {
namespace {

std::uint64_t mix(std::uint64_t state, std::uint64_t value) {
    state = (state ^ value) * 0x9fb21c651e98df25ULL;
    return state ^ (state >> 32);
}

DtnTime after(DtnTime time) {
    return saturating_add(time, 1);
}

}  // namespace

DtnTime BundleView::expiry(DtnTime now_ms) const {
    if (creation_time != 0) {
        constexpr std::uint64_t kMsPerSecond = 1000;
        if (version == kBpVersion6 && creation_time > kDtnNever / kMsPerSecond) return kDtnNever;
        const DtnTime created =
            version == kBpVersion6 ? creation_time * kMsPerSecond : creation_time;
        return after(saturating_add(created, lifetime_ms));
    }
    // RFC 9171 section 4.4.2: without a clock at the source, the bundle age counts.
    if (age_ms > lifetime_ms) return now_ms;
    return after(saturating_add(now_ms, lifetime_ms - age_ms));
}

std::uint64_t BundleView::identity() const {
    std::uint64_t state = mix(hash(source), version);
    state = mix(state, creation_time);
    state = mix(state, sequence);
    if (is_fragment) {
        state = mix(state, fragment_offset + 1);
        state = mix(state, payload_length);
    }
    return mix(state, 0);
}

}  // namespace farlink::bp
