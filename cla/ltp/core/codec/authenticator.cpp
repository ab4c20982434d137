// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/codec/authenticator.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace farlink::cla::ltp {
namespace {

/// The count of extensions has four bits.
constexpr std::size_t kMaxExtensions = 15;

/// Walks over the authentication extensions only.
std::optional<ByteView> next_value(ExtensionReader &extensions) {
    while (const auto extension = extensions.next())
        if (extension->tag == kAuthenticationTag) return extension->value;
    return std::nullopt;
}

// Only the first segment of a session must carry the header. The others are checked with the peer's
// key all the same.
bool names_other_key(const Segment &segment, ByteView wanted) {
    ExtensionReader headers(segment.header_extensions, segment.header_extension_count);
    bool named = false;
    while (const auto header = next_value(headers)) {
        if (std::ranges::equal(*header, wanted)) return false;
        named = true;
    }
    return named;
}

// Takes the same time wherever the values differ.
bool same(ByteView a, ByteView b) {
    if (a.size() != b.size()) return false;
    volatile std::uint8_t difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference = static_cast<std::uint8_t>(difference | (a[i] ^ b[i]));
    return difference == 0;
}

}  // namespace

// RFC 5327 section 2.1: one valid value is enough, since keys may be changing. A value covers the
// segment without any values, so that a segment can carry two.
Authenticity authenticity_of(const Segment &segment, Authenticator &authenticator) {
    if (names_other_key(segment, authenticator.header_value())) return Authenticity::kOtherKey;
    std::array<ByteView, kMaxExtensions + 1> covered;
    std::array<ByteView, kMaxExtensions> values;
    std::size_t count = 0;
    const std::uint8_t *from = segment.octets.data();
    ExtensionReader trailers(segment.trailer_extensions, segment.trailer_extension_count);
    while (const auto value = next_value(trailers)) {
        covered[count] = {from, value->data()};
        values[count++] = *value;
        from = value->data() + value->size();
    }
    if (count == 0) return Authenticity::kMissing;
    covered[count] = {from, segment.octets.data() + segment.octets.size()};
    std::array<std::uint8_t, Authenticator::kMaxValueBytes> room;
    const MutableBytes right(room.data(), authenticator.value_bytes());
    authenticator.sign(std::span(covered).first(count + 1), right);
    bool found = false;
    for (std::size_t i = 0; i < count; ++i) found = same(values[i], right) || found;
    return found ? Authenticity::kAuthentic : Authenticity::kForged;
}

}  // namespace farlink::cla::ltp
