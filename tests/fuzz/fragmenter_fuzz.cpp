// SPDX-License-Identifier: Apache-2.0
// Cuts whatever parses as a bundle and may be cut; each fragment must parse, and the payload must
// come together again. Input: two octets for the limit, then the bundle.
#include "common/base/invariant.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/fragmentation/fragment_rules.hpp"
#include "common/bp/fragmentation/fragmenter.hpp"
#include "common/bp/parse.hpp"

using namespace farlink;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    constexpr std::size_t kLimitBytes = 2;
    if (size <= kLimitBytes) return 0;
    const std::uint64_t limit = load_be<std::uint16_t>(data);
    const ByteView bundle(data + kLimitBytes, size - kLimitBytes);
    const auto view = bp::parse({&bundle, 1});
    if (!view || limit >= bundle.size() ||
        !bp::may_be_fragmented(*view, bundle.first(view->head_end)))
        return 0;
    bp::Fragmenter fragmenter(*view, bundle.first(view->head_end), {&bundle, 1});
    Bytes head(fragmenter.head_bound());
    Bytes tail(fragmenter.tail_bound());
    std::uint64_t at = view->payload_offset;
    while (const auto fragment = fragmenter.next(limit, head, tail)) {
        FARLINK_INVARIANT(fragment->from == at && fragment->size <= limit);
        at = fragment->end;
        Bytes octets(fragment->head.begin(), fragment->head.end());
        append(octets, bundle.subspan(fragment->from, fragment->end - fragment->from));
        append(octets, fragment->tail);
        FARLINK_INVARIANT(octets.size() == fragment->size);
        const ByteView whole(octets);
        const auto part = bp::parse({&whole, 1});
        FARLINK_INVARIANT(part.has_value() && part->is_fragment);
        FARLINK_INVARIANT(part->payload_length == fragment->end - fragment->from);
        FARLINK_INVARIANT(part->payload_length < view->payload_length);
    }
    // It ends before the first fragment, or with the last one.
    FARLINK_INVARIANT(fragmenter.cut() == 0 || fragmenter.done());
    return 0;
}
