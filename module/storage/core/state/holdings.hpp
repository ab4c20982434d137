// SPDX-License-Identifier: Apache-2.0
// What storage holds for each destination, for operators.
// A snapshot, owned by the caller. Called on the storage core's thread.
// It is counted at each call: nothing of it has to be kept for each bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "module/storage/core/index/inventory.hpp"

namespace farlink::storage {

struct Holding {
    struct Count {
        std::uint64_t bundles = 0;
        std::uint64_t bytes = 0;
        DtnTime next_expiry = kDtnNever;
    };
    std::string destination;  ///< as a URI
    Count pending;            ///< not sent, or to be sent again
    Count in_custody;         ///< this node is their custodian, whether pending or sent
};

/// By destination, in the order of their URIs. Bundles that cannot be read are not counted.
[[nodiscard]] std::vector<Holding> count_holdings(const Inventory &inventory);

}  // namespace farlink::storage
