// SPDX-License-Identifier: Apache-2.0
// Any octets as an endpoint id, in CBOR and as a URI: what is read is written and read again.
#include "common/base/invariant.hpp"
#include "common/bp/eid/eid_cbor.hpp"

namespace {

using namespace farlink;

void check_cbor(ByteView octets) {
    codec::CborReader reader(octets);
    bp::EidView eid;
    if (!bp::read_eid(reader, eid)) return;
    Bytes written(bp::eid_bound(eid));
    std::uint8_t *const end = bp::write_eid(written.data(), eid);
    FARLINK_INVARIANT(end <= written.data() + written.size());
    codec::CborReader again(ByteView(written.data(), end));
    bp::EidView same;
    FARLINK_INVARIANT(bp::read_eid(again, same) && again.done() && same == eid);
    FARLINK_INVARIANT(bp::hash(same) == bp::hash(eid));
    const auto from_uri = bp::Eid::parse(bp::to_string(eid));
    FARLINK_INVARIANT(from_uri && from_uri->view() == eid);
}

void check_uri(std::string_view text) {
    const auto eid = bp::Eid::parse(text);
    if (!eid) return;
    const auto again = bp::Eid::parse(eid->to_string());
    FARLINK_INVARIANT(again && *again == *eid);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    check_cbor({data, size});
    check_uri(as_text({data, size}));
    return 0;
}
