// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/receiver_state.hpp"

#include "common/files/octets.hpp"

namespace farlink::cfdp {
namespace {

constexpr std::uint8_t kStateVersion = 1;

ByteView part_of(files::OctetReader &in) {
    return in.octets(in.number<std::uint32_t>());
}

void append_part(files::OctetAppender &out, ByteView part) {
    out.number(static_cast<std::uint32_t>(part.size()));
    out.octets(part);
}

/// A PDU, with an empty Prompt in place of one that has not come.
template <class Body>
void append_pdu(files::OctetAppender &out, const PduHeader &header,
                const std::optional<Body> &body) {
    append_part(out, encode_pdu(header, body ? PduBody(*body) : PduBody(Prompt{})));
}

template <class Body>
bool take_pdu(ByteView octets, PduHeader &header, std::optional<Body> &body) {
    const auto pdu = decode_pdu(octets);
    if (!pdu) return false;
    header = pdu->header;
    if (const auto *found = std::get_if<Body>(&pdu->body)) body = *found;
    return true;
}

}  // namespace

Bytes encode_state(const ReceiverState &state) {
    Bytes octets{kStateVersion};
    files::OctetAppender out(octets);
    append_pdu(out, state.header, state.metadata);
    append_pdu(out, state.header, state.eof);
    append_part(out, state.file);
    return octets;
}

std::optional<ReceiverState> decode_state(ByteView octets) {
    files::OctetReader in(octets);
    if (in.number<std::uint8_t>() != kStateVersion) return std::nullopt;
    ReceiverState state;
    if (!take_pdu(part_of(in), state.header, state.metadata)) return std::nullopt;
    if (!take_pdu(part_of(in), state.header, state.eof)) return std::nullopt;
    state.file = part_of(in);
    if (in.failed() || !in.rest().empty()) return std::nullopt;
    return state;
}

}  // namespace farlink::cfdp
