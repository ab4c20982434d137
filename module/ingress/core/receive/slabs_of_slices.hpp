// SPDX-License-Identifier: Apache-2.0
// Finds the slabs that slices lie in, for a bundle without a list of its own slabs.
// A plain function.
// Called on the thread that owns the references.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/buffer/slab.hpp"

namespace farlink::ingress {

/// Those of `slabs` that `slices` lie in replace what is in `found`.
inline void slabs_of_slices(std::span<const SlabRef> slabs, std::span<const ByteView> slices,
                            std::vector<SlabRef> &found) {
    found.clear();
    for (const ByteView slice : slices) {
        const auto holds = [slice](const SlabRef &slab) {
            return slab->data <= slice.data() && slice.data() < slab->data + slab->capacity;
        };
        const auto slab = std::ranges::find_if(slabs, holds);
        FARLINK_INVARIANT(slab != slabs.end());
        found.push_back(*slab);
    }
}

}  // namespace farlink::ingress
