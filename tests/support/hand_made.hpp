// SPDX-License-Identifier: Apache-2.0
// Messages of TCPCLv4 and TCPCLv3 as octets, good and bad ones, made without the code under test.
// Plain functions for tests.
// Any thread.
#pragma once

#include <initializer_list>
#include <string_view>

#include "common/base/bytes.hpp"
#include "tests/support/hex.hpp"

namespace farlink::test {

inline Bytes operator+(Bytes left, ByteView right) {
    append(left, right);
    return left;
}

/// An unsigned integer of a given number of octets, the most significant one first.
inline Bytes big_endian(std::uint64_t value, std::size_t width) {
    Bytes octets;
    for (; width > 0; --width)
        octets.push_back(static_cast<std::uint8_t>(value >> 8 * (width - 1)));
    return octets;
}

inline Bytes repeated(const Bytes &octets, std::size_t times) {
    Bytes all;
    all.reserve(octets.size() * times);
    for (; times > 0; --times) append(all, octets);
    return all;
}

/// RFC 9174.
namespace v4 {

inline Bytes contact() {
    return from_hex("64746e210400");
}
inline Bytes item(std::uint8_t flags, std::uint16_t type, const Bytes &value) {
    return big_endian(flags, 1) + big_endian(type, 2) + big_endian(value.size(), 2) + value;
}
inline Bytes session_init(std::uint64_t segment_mru, std::uint64_t transfer_mru,
                          std::string_view node_id = "ipn:77.0", const Bytes &items = {}) {
    return from_hex("070000") + big_endian(segment_mru, 8) + big_endian(transfer_mru, 8) +
           big_endian(node_id.size(), 2) + as_bytes(node_id) + big_endian(items.size(), 4) + items;
}
/// Contact header and SESS_INIT of an ordinary peer.
inline Bytes opening() {
    return contact() + session_init(1 << 20, 1 << 20);
}
/// A segment without its data; flags: 2 for the first segment of a transfer, 1 for the last.
inline Bytes segment_head(unsigned flags, std::uint64_t id, std::uint64_t data_bytes,
                          const Bytes &items = {}) {
    Bytes octets = big_endian(1, 1) + big_endian(flags, 1) + big_endian(id, 8);
    if ((flags & 2) != 0) octets = octets + big_endian(items.size(), 4) + items;
    return octets + big_endian(data_bytes, 8);
}
inline Bytes transfer_length(std::uint64_t length) {
    return item(1, 1, big_endian(length, 8));
}
inline Bytes ack(std::uint64_t id, std::uint64_t length) {
    return from_hex("0203") + big_endian(id, 8) + big_endian(length, 8);
}

}  // namespace v4

/// RFC 7242.
namespace v3 {

/// Requests acknowledgements, refusals and LENGTH; no keepalives.
inline Bytes contact(std::string_view node_id = "ipn:77.0") {
    return from_hex("64746e21030d0000") + big_endian(node_id.size(), 1) + as_bytes(node_id);
}
inline Bytes sdnv(std::uint64_t value) {
    Bytes octets{static_cast<std::uint8_t>(value & 0x7f)};
    while ((value >>= 7) != 0)
        octets.insert(octets.begin(), static_cast<std::uint8_t>(0x80 | (value & 0x7f)));
    return octets;
}
/// A segment without its data; flags: 2 for the first segment of a bundle, 1 for the last.
inline Bytes segment_head(unsigned flags, std::uint64_t data_bytes) {
    return big_endian(0x10 | flags, 1) + sdnv(data_bytes);
}

}  // namespace v3

}  // namespace farlink::test
