// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/gcm_cipher.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <openssl/crypto.h>

#include <algorithm>

namespace farlink::cla {

GcmCipher::~GcmCipher() {
    OPENSSL_cleanse(&key_, sizeof key_);
    OPENSSL_cleanse(&message_, sizeof message_);
    OPENSSL_cleanse(tag_.data(), tag_.size());
}

bool GcmCipher::start(Direction direction, ByteView key, ByteView nonce) {
    if (!key.empty() && key.size() != kernels_.key_bytes) return false;
    if (!nonce.empty() && nonce.size() != kNonceBytes) return false;
    if (key.empty() && state_ == State::kNoKey && !nonce.empty()) return false;
    direction_ = direction;
    // A message that was begun cannot go on in the other direction, nor under another key.
    if (state_ != State::kNoKey) state_ = State::kNoNonce;
    if (!key.empty()) set_key(key);
    if (!nonce.empty()) set_nonce(nonce);
    return true;
}

void GcmCipher::set_key(ByteView key) {
    kernels_.expand_key(key.data(), &key_);
    state_ = State::kNoNonce;
}

void GcmCipher::set_nonce(ByteView nonce) {
    std::ranges::copy(nonce, nonce_.begin());
    associated_bytes_ = 0;
    expects_tag_ = false;
    state_ = State::kAssociated;
}

bool GcmCipher::associate(ByteView octets) {
    if (state_ != State::kAssociated) return false;
    if (octets.size() > kMaxAssociatedBytes - associated_bytes_) return false;
    std::ranges::copy(octets, associated_.data() + associated_bytes_);
    associated_bytes_ += octets.size();
    return true;
}

bool GcmCipher::enter_text() {
    if (state_ == State::kText) return true;
    if (state_ != State::kAssociated) return false;
    kernels_.begin(&key_, &message_, nonce_.data(), associated_.data(), associated_bytes_);
    state_ = State::kText;
    return true;
}

bool GcmCipher::update(ByteView from, std::uint8_t *to) {
    if (!enter_text() || from.size() > kMaxTextBytes - message_.in_length) return false;
    const auto update = direction_ == Direction::kSeal ? kernels_.seal : kernels_.open;
    if (!from.empty()) update(&key_, &message_, to, from.data(), from.size());
    return true;
}

bool GcmCipher::expect_tag(ByteView tag) {
    const bool in_message = state_ == State::kAssociated || state_ == State::kText;
    if (direction_ != Direction::kOpen || !in_message || tag.size() != kTagBytes) return false;
    std::ranges::copy(tag, tag_.begin());
    expects_tag_ = true;
    return true;
}

bool GcmCipher::finish() {
    if (direction_ == Direction::kOpen && !expects_tag_) return false;
    if (!enter_text()) return false;
    state_ = State::kEnded;
    if (direction_ == Direction::kSeal) {
        kernels_.end_sealing(&key_, &message_, tag_.data(), kTagBytes);
        return true;
    }
    std::array<std::uint8_t, kTagBytes> found{};
    kernels_.end_opening(&key_, &message_, found.data(), kTagBytes);
    // In the same time wherever they differ: a forger must not learn how far a guess was right.
    const bool same = CRYPTO_memcmp(found.data(), tag_.data(), kTagBytes) == 0;
    OPENSSL_cleanse(found.data(), found.size());
    return same;
}

ByteView GcmCipher::tag() const {
    if (state_ != State::kEnded || direction_ != Direction::kSeal) return {};
    return tag_;
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
