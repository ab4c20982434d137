// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/state/label_content.hpp"

#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {

LabelContent content_of(ByteView label) {
    if (auto stripe = decode_stripe(label)) return *stripe;
    if (auto fragment = decode_fragment_label(label)) return *fragment;
    if (auto piece = decode_piece_label(label)) return *piece;
    if (decode_label(label)) return WholeLabel{label};
    return UnknownLabel{};
}

ByteView endpoint_in(ByteView label) {
    return std::visit([](const auto &content) { return content.endpoint; }, content_of(label));
}

}  // namespace farlink::storage
