// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/index/quotas.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"

namespace farlink::storage {

Quotas::Quotas(std::span<const config::StorageQuota> quotas) {
    FARLINK_INVARIANT(quotas.size() <= kMaxQuotas);
    for (const config::StorageQuota &quota : quotas) {
        const bool of_source = !quota.source.empty();
        const auto pattern = bp::EidPattern::parse(of_source ? quota.source : quota.destination);
        FARLINK_INVARIANT(pattern.has_value());
        quotas_.push_back({*pattern, of_source, quota.capacity_bytes, 0});
        by_source_ |= of_source;
    }
}

void Quotas::set_capacities(std::span<const config::StorageQuota> quotas) {
    for (std::size_t at = 0; at < std::min(quotas_.size(), quotas.size()); ++at)
        quotas_[at].capacity_bytes = quotas[at].capacity_bytes;
}

QuotaSet Quotas::of(const bp::EidView &source, const bp::EidView &destination) const {
    QuotaSet set = 0;
    for (std::size_t at = 0; at < quotas_.size(); ++at)
        if (quotas_[at].pattern.matches(quotas_[at].of_source ? source : destination))
            set |= QuotaSet{1} << at;
    return set;
}

void Quotas::count(QuotaSet set, std::uint64_t bytes, bool held) {
    for (std::size_t at = 0; set != 0; ++at, set >>= 1) {
        if ((set & 1) == 0) continue;
        std::uint64_t &used = quotas_[at].used_bytes;
        FARLINK_INVARIANT(held || used >= bytes);
        used = held ? used + bytes : used - bytes;
    }
}

QuotaSet Quotas::exceeded(QuotaSet set, std::uint64_t bytes) const {
    QuotaSet full = 0;
    for (std::size_t at = 0; set >> at != 0 && at < quotas_.size(); ++at) {
        const Quota &quota = quotas_[at];
        if ((set >> at & 1) != 0 && quota.used_bytes + bytes > quota.capacity_bytes)
            full |= QuotaSet{1} << at;
    }
    return full;
}

bool Quotas::never_fits(QuotaSet set, std::uint64_t bytes) const {
    for (std::size_t at = 0; at < quotas_.size(); ++at)
        if ((set >> at & 1) != 0 && bytes > quotas_[at].capacity_bytes) return true;
    return false;
}

}  // namespace farlink::storage
