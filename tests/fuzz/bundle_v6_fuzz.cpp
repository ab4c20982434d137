// SPDX-License-Identifier: Apache-2.0
// Any octets as a BPv6 bundle: a bundle that is accepted is still accepted after its trailing
// blocks are processed, after the head is rewritten for the next hop, after it is decoded and
// encoded, with another custodian, and in fragments.
#include "common/base/invariant.hpp"
#include "common/bp/forwarding_editor.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/bundle.hpp"

namespace {

using namespace farlink;

bp::BundleView check_same(ByteView octets, const bp::BundleView &view) {
    const auto again = bp::parse({&octets, 1});
    FARLINK_INVARIANT(again && again->identity() == view.identity());
    FARLINK_INVARIANT(again->payload_length == view.payload_length);
    return *again;
}

void check_transit(ByteView octets, const bp::BundleView &view) {
    static const bp::ForwardingEditor editor(bp::ipn_eid(15, 0));
    const bp::BundleHead head{octets.first(view.head_end), view.primary_end, view.version};
    Bytes out(editor.bound(head));
    const auto size = editor.render(head, 1500, out);
    FARLINK_INVARIANT(size.has_value());
    out.resize(*size);
    append(out, octets.subspan(view.head_end));
    const bp::BundleView sent = check_same(out, view);
    FARLINK_INVARIANT(sent.age_ms >= view.age_ms);
}

void check_value(ByteView octets, const bp::BundleView &view) {
    auto bundle = bp::v6::decode(octets);
    FARLINK_INVARIANT(bundle.has_value());
    check_same(bp::v6::encode(*bundle), view);
    if (const auto parts = bp::v6::fragment(*bundle, bundle->payload().data.size() / 2)) {
        FARLINK_INVARIANT(bp::v6::decode(bp::v6::encode(parts->first)).has_value());
        FARLINK_INVARIANT(bp::v6::decode(bp::v6::encode(parts->second)).has_value());
    }
    bundle->set_custodian(bp::ipn_eid(15, 0));
    const Bytes accepted = bp::v6::encode(*bundle);
    FARLINK_INVARIANT(check_same(accepted, view).custodian == bp::ipn_eid(15, 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const ByteView octets(data, size);
    const auto view = bp::parse({&octets, 1});
    if (!view || view->version != 6) return 0;
    check_transit(octets, *view);
    check_value(octets, *view);
    const Bytes acknowledged = bp::apply_trailing_blocks(octets);
    check_transit(acknowledged, check_same(acknowledged, *view));
    return 0;
}
