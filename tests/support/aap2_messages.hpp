// SPDX-License-Identifier: Apache-2.0
// What a client of AAP 2.0 writes, as octets.
// Plain functions.
// Any thread.
#pragma once

#include <string_view>

#include "module/applications/core/protocol/aap2.hpp"
#include "module/applications/core/protocol/protobuf.hpp"

namespace farlink::test {

/// A message behind its length.
inline Bytes delimited(ByteView message) {
    Bytes octets;
    applications::ProtobufWriter(octets).varint(message.size());
    append(octets, message);
    return octets;
}

inline Bytes config_message(std::string_view endpoint, bool receives, std::string_view secret = "s",
                            std::uint64_t window = 0, std::uint64_t stay = 0) {
    Bytes config;
    applications::ProtobufWriter fields(config);
    fields.number(1, receives ? 1 : 0);
    fields.text(3, secret);
    fields.text(4, endpoint);
    fields.number(1000, window);
    fields.number(1001, stay);
    if (receives) fields.number(1003, 1);
    Bytes message;
    applications::ProtobufWriter(message).message(2, config);
    return delimited(message);
}

inline Bytes adu_message(std::string_view to, std::string_view payload,
                         std::uint64_t claimed = ~std::uint64_t{0}, std::uint64_t created_ms = 0) {
    Bytes adu;
    applications::ProtobufWriter fields(adu);
    fields.text(2, to);
    if (created_ms > 0) fields.number(3, created_ms);
    fields.number(5, claimed == ~std::uint64_t{0} ? payload.size() : claimed);
    Bytes message;
    applications::ProtobufWriter(message).message(3, adu);
    Bytes octets = delimited(message);
    append(octets, as_bytes(payload));
    return octets;
}

inline Bytes answer(applications::ResponseStatus status, std::uint64_t count = 1) {
    Bytes octets;
    applications::Aap2Writer().response(octets, {status, count, {}});
    return octets;
}

}  // namespace farlink::test
