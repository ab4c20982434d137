// SPDX-License-Identifier: Apache-2.0
// The label of a record: the destination of its bundle, with its source where that matters.
// A plain function; the storage core's thread.
// The same for a bundle, and for every part of one.
#pragma once

#include "common/bp/parse.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/core/index/inventory.hpp"

namespace farlink::storage {

/// Replaces the content of `label`. Returns the node of the source if policies depend on it.
[[nodiscard]] inline NodeNumber label_record(Inventory &inventory, const bp::BundleView &view,
                                             Bytes &label) {
    const NodeNumber source = inventory.destinations().source_that_matters(view.source);
    if (inventory.quotas().by_source())
        encode_label(view.destination, view.source, label);
    else if (source != NodeNumber{})  // all its services go the same way
        encode_label(view.destination, bp::ipn_eid(source.value(), 0), label);
    else
        encode_label(view.destination, label);
    return source;
}

}  // namespace farlink::storage
