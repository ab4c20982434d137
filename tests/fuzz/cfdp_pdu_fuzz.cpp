// SPDX-License-Identifier: Apache-2.0
// Any octets as a PDU of CFDP: what is one gives the same PDU when it is written and read again.
// Input: the octets.
#include "cfdp/core/pdu/options.hpp"
#include "cfdp/core/pdu/pdu.hpp"
#include "cfdp/core/user/messages.hpp"
#include "common/base/invariant.hpp"

namespace {

using namespace farlink;

void read_options(const cfdp::Metadata &metadata) {
    for (const cfdp::Tlv &each : metadata.options) {
        (void)cfdp::decode_handler_override(each.value);
        if (const auto message = cfdp::decode_user_message(each.value)) {
            const auto again = cfdp::encode_user_message(*message);
            FARLINK_INVARIANT(!again || cfdp::decode_user_message(*again) == message);
        }
        if (const auto response = cfdp::decode_filestore_response(each.value))
            (void)cfdp::encode_filestore_response(*response);
        const auto request = cfdp::decode_filestore_request(each.value);
        if (!request) continue;
        const auto again = cfdp::encode_filestore_request(*request);
        FARLINK_INVARIANT(again && cfdp::decode_filestore_request(*again) == request);
        (void)cfdp::encode_filestore_response({*request});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    const auto pdu = cfdp::decode_pdu({data, size});
    if (!pdu) return 0;
    if (const auto *metadata = std::get_if<cfdp::Metadata>(&pdu->body)) read_options(*metadata);
    const Bytes once = cfdp::encode_pdu(pdu->header, pdu->body);
    const auto again = cfdp::decode_pdu(once);
    FARLINK_INVARIANT(again && again->header == pdu->header);
    FARLINK_INVARIANT(again->body.index() == pdu->body.index());
    FARLINK_INVARIANT(cfdp::encode_pdu(again->header, again->body) == once);
    return 0;
}
