// SPDX-License-Identifier: Apache-2.0
// Any octets as a bundle: parsing them is safe, slices change nothing, and what leaves this node
// is a bundle that the next node accepts.
#include <algorithm>
#include <array>

#include "common/base/invariant.hpp"
#include "common/bp/forwarding_editor.hpp"
#include "common/bp/parse.hpp"

namespace farlink {
namespace {

constexpr std::uint64_t kResidenceMs = 1500;

/// The same octets behind a cut give the same answer, or ask to be joined.
void check_cut(ByteView octets, const Result<bp::BundleView, bp::ParseError> &whole) {
    const std::size_t cut = octets.size() / 2;
    const std::array<ByteView, 2> halves{octets.first(cut), octets.subspan(cut)};
    const auto parsed = bp::parse(halves);
    if (!parsed && parsed.error() == bp::ParseError::kHeadNotContiguous) return;
    FARLINK_INVARIANT(parsed.has_value() == whole.has_value());
    if (!parsed) return;
    FARLINK_INVARIANT(parsed->identity() == whole->identity());
    FARLINK_INVARIANT(parsed->head_end == whole->head_end && parsed->size == whole->size);
}

void check_transit(ByteView octets, const bp::BundleView &view) {
    const bp::Eid local(15, 0);
    const bp::ForwardingEditor editor(local.view());
    const bp::BundleHead head{octets.first(view.head_end), view.primary_end, view.version};
    Bytes out(editor.bound(head));
    const auto size = editor.render(head, kResidenceMs, out);
    if (!size) {
        FARLINK_INVARIANT(size.error() == bp::ParseError::kHopLimitExceeded);
        return;
    }
    FARLINK_INVARIANT(*size <= out.size());
    out.resize(*size);
    append(out, octets.subspan(view.head_end));
    const ByteView next(out);
    const auto again = bp::parse({&next, 1});
    FARLINK_INVARIANT(again.has_value());
    FARLINK_INVARIANT(again->identity() == view.identity());
    FARLINK_INVARIANT(again->payload_length == view.payload_length);
}

}  // namespace
}  // namespace farlink

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    using namespace farlink;
    const ByteView octets(data, size);
    const auto view = bp::parse({&octets, 1});
    check_cut(octets, view);
    if (view) check_transit(octets, *view);
    return 0;
}
