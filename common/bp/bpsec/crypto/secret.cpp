// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/crypto/secret.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <utility>

#include "common/base/invariant.hpp"

namespace farlink::bp::bpsec {

void wipe(MutableBytes octets) {
    OPENSSL_cleanse(octets.data(), octets.size());
}

bool equal_in_constant_time(ByteView a, ByteView b) {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

Secret::Secret(ByteView octets) {
    std::ranges::copy(octets, resize(octets.size()).begin());
}

Secret::Secret(Secret &&other) noexcept {
    *this = std::move(other);
}

Secret &Secret::operator=(Secret &&other) noexcept {
    if (this == &other) return *this;
    octets_ = other.octets_;
    size_ = std::exchange(other.size_, 0);
    wipe(other.octets_);
    return *this;
}

Secret::~Secret() {
    wipe(octets_);
}

MutableBytes Secret::resize(std::size_t size) {
    FARLINK_INVARIANT(size <= kMostBytes);
    wipe(octets_);
    size_ = size;
    return {octets_.data(), size};
}

}  // namespace farlink::bp::bpsec
