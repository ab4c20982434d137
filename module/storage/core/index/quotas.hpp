// SPDX-License-Identifier: Apache-2.0
// How much of the store the bundles from, or to, some endpoints may take, and do take.
// Owned by Inventory; one thread.
// Which quotas a bundle counts in follows from its source and destination and is worked out once
// for each pair of them; a QuotaSet names them.
#pragma once

#include <span>
#include <vector>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::storage {

/// A bit for each quota, in the order of the configuration.
using QuotaSet = std::uint64_t;
inline constexpr std::size_t kMaxQuotas = 64;

class Quotas {
public:
    explicit Quotas(std::span<const config::StorageQuota> quotas = {});

    /// Sources matter: the store has to remember them.
    [[nodiscard]] bool by_source() const { return by_source_; }
    /// `source` is null when it is not known.
    [[nodiscard]] QuotaSet of(const bp::EidView &source, const bp::EidView &destination) const;

    /// The quotas themselves stay.
    void set_capacities(std::span<const config::StorageQuota> quotas);

    void count(QuotaSet set, std::uint64_t bytes, bool held);
    /// Those of the set that so many bytes more would exceed.
    [[nodiscard]] QuotaSet exceeded(QuotaSet set, std::uint64_t bytes) const;
    /// The bytes do not even fit when nothing else counts in the set.
    [[nodiscard]] bool never_fits(QuotaSet set, std::uint64_t bytes) const;

private:
    struct Quota {
        bp::EidPattern pattern;
        bool of_source = false;
        std::uint64_t capacity_bytes = 0;
        std::uint64_t used_bytes = 0;
    };
    std::vector<Quota> quotas_;
    bool by_source_ = false;
};

}  // namespace farlink::storage
