// SPDX-License-Identifier: Apache-2.0
// The octets of a bundle whose security blocks may have changed: as slices, whose payload is not
// copied, or in one piece.
// A RenderedBundle keeps its memory for the next bundle; one thread.
#pragma once

#include <span>
#include <vector>

#include "common/bp/bpsec/secured_bundle.hpp"

namespace farlink::bp::bpsec {

class RenderedBundle {
public:
    /// All octets of `bundle` in order, valid until the next call, and as long as its payload.
    [[nodiscard]] std::span<const ByteView> render(const SecuredBundle &bundle);

private:
    Bytes head_;
    Bytes tail_;
    std::vector<ByteView> slices_;
};

/// A copy of all octets of `bundle`.
[[nodiscard]] Bytes whole_bundle(const SecuredBundle &bundle);

}  // namespace farlink::bp::bpsec
