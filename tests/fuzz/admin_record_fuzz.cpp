// SPDX-License-Identifier: Apache-2.0
// Any octets as an administrative record of either version: what is read is written and read again.
#include "common/base/invariant.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v7/admin_record_codec.hpp"

namespace {

using namespace farlink;

template <class Decode>
void check(ByteView octets, Decode decode) {
    const auto record = decode(octets);
    if (!record) return;
    const auto again = decode(encode(*record));
    FARLINK_INVARIANT(again && *again == *record);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const ByteView octets(data, size);
    check(octets, bp::v7::decode_status_report);
    check(octets, bp::v6::decode_status_report);
    check(octets, bp::v6::decode_custody_signal);
    check(octets, bp::v6::decode_aggregate_custody_signal);
    check(octets, bp::v6::decode_cteb);
    (void)bp::v7::admin_record_type(octets);
    (void)bp::v6::admin_record_type(octets);
    return 0;
}
