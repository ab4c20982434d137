// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/receiver_state.hpp"

#include <utility>

#include "common/files/octets.hpp"

namespace farlink::cfdp {
namespace {

constexpr std::uint8_t kStateVersion = 2;
/// Without the steps of requests.
constexpr std::uint8_t kFirstVersion = 1;

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

bool take_requests(files::OctetReader &in, ReceiverState &state) {
    const auto step = in.number<std::uint8_t>();
    if (step > static_cast<std::uint8_t>(RequestStep::kDone)) return false;
    state.requests = static_cast<RequestStep>(step);
    state.name = as_text(part_of(in));
    for (auto left = in.number<std::uint32_t>(); left > 0 && !in.failed(); --left) {
        auto response = decode_filestore_response(part_of(in));
        if (!response) return false;
        state.responses.push_back(std::move(*response));
    }
    return true;
}

}  // namespace

Bytes encode_state(const ReceiverState &state) {
    Bytes octets{kStateVersion};
    files::OctetAppender out(octets);
    append_pdu(out, state.header, state.metadata);
    append_pdu(out, state.header, state.eof);
    append_part(out, state.file);
    out.number(static_cast<std::uint8_t>(state.requests));
    append_part(out, as_bytes(state.name));
    out.number(static_cast<std::uint32_t>(state.responses.size()));
    for (const FilestoreResponse &each : state.responses)
        append_part(out, encode_filestore_response(each));
    return octets;
}

std::optional<ReceiverState> decode_state(ByteView octets) {
    files::OctetReader in(octets);
    const auto version = in.number<std::uint8_t>();
    if (version != kStateVersion && version != kFirstVersion) return std::nullopt;
    ReceiverState state;
    if (!take_pdu(part_of(in), state.header, state.metadata)) return std::nullopt;
    if (!take_pdu(part_of(in), state.header, state.eof)) return std::nullopt;
    state.file = part_of(in);
    if (version == kStateVersion && !take_requests(in, state)) return std::nullopt;
    if (in.failed() || !in.rest().empty()) return std::nullopt;
    return state;
}

}  // namespace farlink::cfdp
