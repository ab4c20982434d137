// SPDX-License-Identifier: Apache-2.0
// The times of a bundle over one contact or one edge, for all searches.
// Plain functions over a graph; its owner's thread.
// A contact is usable while the bundle's first octet can still be sent; the last octet of a bundle
// with a size must be sent before the contact ends, too.
#pragma once

#include <optional>

#include "module/router/core/contact_graph.hpp"

namespace farlink::router {

/// The arrival of a bundle that is ready at `time`; kDtnNever if the contact cannot carry it.
[[nodiscard]] DtnTime arrival_by(const GraphContact &contact, DtnTime time,
                                 std::uint64_t size_bytes);
/// The latest time at which a bundle must be ready to arrive by `deadline`.
[[nodiscard]] std::optional<DtnTime> latest_ready(const GraphContact &contact, DtnTime deadline,
                                                  std::uint64_t size_bytes);

/// Contacts of a graph that count as absent; empty: none.
using ContactMask = std::vector<bool>;

/// The earliest arrival over any contact of the edge; kDtnNever when it is not before `before`.
[[nodiscard]] DtnTime earliest_over(const ContactGraph &graph, const Edge &edge, DtnTime time,
                                    std::uint64_t size_bytes, const ContactMask *without = nullptr,
                                    DtnTime before = kDtnNever);

}  // namespace farlink::router
