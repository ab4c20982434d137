// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bundle_id.hpp"

namespace farlink::bp {

BundleId id_of(const BundleView &view) {
    BundleId id{Eid(view.source), view.creation_time, view.sequence, {}};
    if (view.is_fragment) id.fragment = FragmentExtent{view.fragment_offset, view.payload_length};
    return id;
}

std::string to_string(const BundleId &id) {
    std::string text = id.source.to_string() + '/' + std::to_string(id.creation_time) + '/' +
                       std::to_string(id.sequence);
    if (id.fragment)
        text +=
            '/' + std::to_string(id.fragment->offset) + '+' + std::to_string(id.fragment->length);
    return text;
}

}  // namespace farlink::bp
