// SPDX-License-Identifier: Apache-2.0
// Octets with repaired checksums as a BPv7 bundle: the way to the next hop, the bundle as a value,
// and its fragments all lead to bundles that are accepted.
#include "common/base/invariant.hpp"
#include "common/bp/forwarding_editor.hpp"
#include "common/bp/v7/bundle.hpp"
#include "tests/fuzz/repair.hpp"

#include "common/bp/parse.hpp"

namespace {

using namespace farlink;

void check_transit(ByteView octets, const bp::BundleView &view) {
    static const bp::ForwardingEditor editor(bp::ipn_eid(15, 0));
    const bp::BundleHead head{octets.first(view.head_end), view.primary_end, view.version};
    Bytes out(editor.bound(head));
    const auto size = editor.render(head, 1500, out);
    if (!size) {
        FARLINK_INVARIANT(size.error() == bp::ParseError::kHopLimitExceeded);
        return;
    }
    out.resize(*size);
    append(out, octets.subspan(view.head_end));
    const ByteView next(out);
    const auto again = bp::parse({&next, 1});
    FARLINK_INVARIANT(again && again->identity() == view.identity());
    FARLINK_INVARIANT(again->primary_end == view.primary_end);
    FARLINK_INVARIANT(!again->has_age || again->age_ms >= view.age_ms);
    FARLINK_INVARIANT(again->hop_count >= view.hop_count);
}

void check_value(ByteView octets) {
    const auto bundle = bp::v7::decode(octets);
    FARLINK_INVARIANT(bundle.has_value());
    FARLINK_INVARIANT(bp::v7::decode(bp::v7::encode(*bundle)) == bundle);
    const auto parts = bp::v7::fragment(*bundle, bundle->payload().data.size() / 2);
    if (!parts) return;
    FARLINK_INVARIANT(bp::v7::decode(bp::v7::encode(parts->first)) == parts->first);
    FARLINK_INVARIANT(bp::v7::decode(bp::v7::encode(parts->second)) == parts->second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Bytes bundle(data, data + size);
    fuzz::repair_checksums(bundle);
    const ByteView octets(bundle);
    const auto view = bp::parse({&octets, 1});
    if (!view || view->version != 7) return 0;
    check_transit(octets, *view);
    check_value(octets);
    return 0;
}
