// SPDX-License-Identifier: Apache-2.0
#include "common/bp/reassembly/joined_bundle.hpp"

#include "common/bp/parse.hpp"
#include "common/bp/reassembly/whole_v6.hpp"
#include "common/bp/reassembly/whole_v7.hpp"

namespace farlink::bp {
namespace {

bool belongs_to(const BundleView &first, const BundleView &fragment) {
    return fragment.is_fragment && fragment.version == first.version &&
           fragment.source == first.source && fragment.creation_time == first.creation_time &&
           fragment.sequence == first.sequence &&
           fragment.total_adu_length == first.total_adu_length;
}

/// Adds the octets of a fragment's payload beyond the first `covered` of the data unit; false when
/// there is a gap before it.
bool add_payload(const BundleView &view, ByteView fragment, std::uint64_t &covered,
                 std::vector<ByteView> &payload) {
    if (view.fragment_offset > covered) return false;
    const std::uint64_t end = view.fragment_offset + view.payload_length;
    if (end <= covered) return true;
    const std::uint64_t known = covered - view.fragment_offset;
    payload.push_back(fragment.subspan(view.payload_offset + known, view.payload_length - known));
    covered = end;
    return true;
}

}  // namespace

std::optional<JoinedBundle> join(std::span<const ByteView> fragments) {
    if (fragments.empty()) return std::nullopt;
    const auto first = parse_again(fragments.first(1));
    if (!first || !first->is_fragment) return std::nullopt;
    JoinedBundle joined;
    std::uint64_t covered = 0;
    ByteView trailing;  // of the last fragment
    for (const ByteView fragment : fragments) {
        const auto view = parse_again({&fragment, 1});
        if (!view || !belongs_to(*first, *view)) return std::nullopt;
        if (!add_payload(*view, fragment, covered, joined.payload)) return std::nullopt;
        if (view->fragment_offset + view->payload_length == view->total_adu_length)
            trailing = fragment.subspan(view->payload_offset + view->payload_length);
    }
    if (covered != first->total_adu_length) return std::nullopt;
    const ByteView head = fragments.front().first(first->payload_offset);
    const WholeOctets octets{head, first->primary_end, first->head_end};
    const bool made = first->version == kBpVersion6
                          ? v6::write_whole(octets, trailing, covered, joined)
                          : v7::write_whole(octets, covered, joined);
    if (!made) return std::nullopt;
    return joined;
}

}  // namespace farlink::bp
