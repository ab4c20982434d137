// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/rendered_bundle.hpp"

namespace farlink::bp::bpsec {

std::span<const ByteView> RenderedBundle::render(const SecuredBundle &bundle) {
    bundle.render(head_, tail_);
    slices_.assign(1, head_);
    slices_.insert(slices_.end(), bundle.payload().begin(), bundle.payload().end());
    slices_.emplace_back(tail_);
    return slices_;
}

Bytes whole_bundle(const SecuredBundle &bundle) {
    RenderedBundle rendered;
    Bytes whole;
    for (const ByteView slice : rendered.render(bundle)) append(whole, slice);
    return whole;
}

}  // namespace farlink::bp::bpsec
