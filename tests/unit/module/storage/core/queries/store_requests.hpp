// SPDX-License-Identifier: Apache-2.0
// Requests about stored bundles as the supervisor sends them, for tests of their replies.
// Plain functions; any thread.
// All requests have one id.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/bp/parse.hpp"
#include "common/bus/messages.hpp"

namespace farlink::test {

inline constexpr bus::RequestId kStoreRequestId{77};

inline bus::StoreRequest store_request(bus::StoreVerb verb, std::string_view destination = {},
                                       std::uint32_t limit = 100) {
    bus::StoreRequest request;
    request.id = kStoreRequestId;
    request.verb = verb;
    request.destination.assign(destination.begin(), destination.end());
    request.limit = limit;
    return request;
}

/// Of its head; 0: it has none.
inline std::uint64_t stored_sequence(const bus::StoredBundle &bundle) {
    const auto view = bp::parse_primary(bundle.head);
    return view ? view->sequence : 0;
}

}  // namespace farlink::test
