// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/bundle_name.hpp"

#include "common/base/bytes.hpp"
#include "common/base/siphash.hpp"
#include "common/bp/bundle_id.hpp"

namespace farlink::messages {
namespace {

/// Octets of a name; file systems take 255.
constexpr std::size_t kLongestName = 200;
constexpr std::string_view kDigits = "0123456789ABCDEF";

void append_octet(std::string &text, std::uint8_t octet) {
    text += kDigits[octet >> 4];
    text += kDigits[octet & 15];
}

bool is_plain(std::uint8_t octet) {
    return octet > ' ' && octet < 0x7f && octet != ',' && octet != '%' && octet != '~';
}

std::string hash_text(std::string_view text) {
    // Names must differ and stay the same over runs; a fixed key does that.
    const Hash128 hash = siphash128(SipKey{}, as_bytes(text));
    std::string digits;
    for (const std::uint64_t half : {hash.high, hash.low})
        for (int shift = 56; shift >= 0; shift -= 8)
            append_octet(digits, static_cast<std::uint8_t>(half >> shift));
    return digits;
}

}  // namespace

std::string id_text(const client::BundleId &id) {
    const auto source = bp::Eid::parse(id.source);
    if (!source) return id.to_string();
    return bp::to_string(bp::BundleId{*source, id.creation_ms, id.sequence, {}});
}

std::string file_name(std::string_view id) {
    std::string name;
    for (const std::uint8_t octet : as_bytes(id)) {
        if (octet == '/') {
            name += ',';
        } else if (is_plain(octet)) {
            name += static_cast<char>(octet);
        } else {
            name += '%';
            append_octet(name, octet);
        }
    }
    if (name.size() > kLongestName) name = name.substr(0, kLongestName) + '~' + hash_text(id);
    return name;
}

}  // namespace farlink::messages
