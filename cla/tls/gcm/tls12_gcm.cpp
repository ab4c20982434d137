// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/tls12_gcm.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <openssl/crypto.h>

#include <algorithm>

namespace farlink::cla {

using Direction = GcmCipher::Direction;

bool Tls12Gcm::set_salt(ByteView salt) {
    if (salt.size() != kSaltBytes) return false;
    std::ranges::copy(salt, salt_.begin());
    has_salt_ = true;
    return true;
}

bool Tls12Gcm::announce(Direction direction, ByteView header) {
    announced_ = false;
    if (!has_salt_ || header.size() != kHeaderBytes) return false;
    constexpr std::size_t kLengthAt = kHeaderBytes - sizeof(std::uint16_t);
    const std::size_t published = load_be<std::uint16_t>(header.data() + kLengthAt);
    const std::size_t beyond = direction == Direction::kSeal ? kExplicitBytes : kOverheadBytes;
    if (published < beyond) return false;
    text_bytes_ = published - beyond;
    std::ranges::copy(header, header_.begin());
    // RFC 5246 section 6.2.3.3: the length of the text alone is authenticated.
    store_be(header_.data() + kLengthAt, static_cast<std::uint16_t>(text_bytes_));
    announced_ = true;
    return true;
}

std::optional<std::size_t> Tls12Gcm::process(GcmCipher &cipher, ByteView record, std::uint8_t *to) {
    // One announcement, one record: a nonce is never used twice.
    announced_ = false;
    if (record.size() != text_bytes_ + kOverheadBytes) return std::nullopt;
    if (cipher.direction() == Direction::kSeal) {
        if (!seal(cipher, record.subspan(kExplicitBytes, text_bytes_), to)) return std::nullopt;
        return record.size();
    }
    if (open(cipher, record, to)) return text_bytes_;
    OPENSSL_cleanse(to, record.size());
    return std::nullopt;
}

bool Tls12Gcm::begin(GcmCipher &cipher, ByteView explicit_part) {
    std::array<std::uint8_t, GcmCipher::kNonceBytes> nonce{};
    std::ranges::copy(salt_, nonce.begin());
    std::ranges::copy(explicit_part, nonce.begin() + kSaltBytes);
    return cipher.start(cipher.direction(), {}, nonce) && cipher.associate(header_);
}

bool Tls12Gcm::seal(GcmCipher &cipher, ByteView text, std::uint8_t *to) {
    // RFC 5288 section 3: the explicit part may be the sequence number, which never repeats.
    const ByteView sequence_number = ByteView(header_).first(kExplicitBytes);
    if (!begin(cipher, sequence_number) || !cipher.update(text, to + kExplicitBytes) ||
        !cipher.finish())
        return false;
    std::ranges::copy(sequence_number, to);
    std::ranges::copy(cipher.tag(), to + kExplicitBytes + text.size());
    return true;
}

bool Tls12Gcm::open(GcmCipher &cipher, ByteView record, std::uint8_t *to) {
    const ByteView sealed = record.subspan(kExplicitBytes, text_bytes_);
    return begin(cipher, record.first(kExplicitBytes)) &&
           cipher.expect_tag(record.last(GcmCipher::kTagBytes)) &&
           cipher.update(sealed, to + kExplicitBytes) && cipher.finish();
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
