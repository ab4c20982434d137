// SPDX-License-Identifier: Apache-2.0
#include "common/bp/forwarding_editor.hpp"

#include "common/base/invariant.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/forwarding_editor.hpp"
#include "common/bp/v7/block_numbers.hpp"
#include "common/bp/v7/forwarding_editor.hpp"

namespace farlink::bp {
namespace {

// What a new or longer hop count, a longer bundle age, and block numbers where there were none can
// add to a head, in bytes.
constexpr std::size_t kLongerFields = 96 + 2 * v7::kMostUnnumbered;

}  // namespace

ForwardingEditor::ForwardingEditor(EidView local_node)
    : previous_nodes_v7_(v7::make_previous_nodes(local_node)),
      previous_hop_v6_(v6::make_previous_hop(local_node)) {
    // A node's own id is configured, so one that is too long ends the program at its start.
    FARLINK_INVARIANT(local_node.name.size() + v7::kBlockOverhead + 2 * codec::kMaxCborHeadBytes +
                          kLongerFields <=
                      kGrowth);
}

Result<std::size_t, ParseError> ForwardingEditor::render(const BundleHead &head,
                                                         std::uint64_t residence_ms,
                                                         MutableBytes out) const {
    FARLINK_INVARIANT(out.size() >= bound(head));
    return head.version == kBpVersion6 ? v6::render(head, residence_ms, previous_hop_v6_, out)
                                       : v7::render(head, residence_ms, previous_nodes_v7_, out);
}

Bytes apply_trailing_blocks(ByteView bundle) {
    return v6::apply_trailing_blocks(bundle);
}

}  // namespace farlink::bp
