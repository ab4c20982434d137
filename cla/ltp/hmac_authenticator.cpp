// SPDX-License-Identifier: Apache-2.0
// OpenSSL 3.0 allocates when an EVP digest begins and when one is copied: twice for each segment.
// The functions below do not allocate, and hash the key only once.
#include "cla/ltp/hmac_authenticator.hpp"

#if FARLINK_TLS

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

#include "common/base/invariant.hpp"

namespace farlink::cla::ltp {
namespace {

using config::LtpCiphersuite;

/// Block size of both hashes.
constexpr std::size_t kBlockBytes = SHA_CBLOCK;
static_assert(kBlockBytes == SHA256_CBLOCK);

struct Sha1 {
    static constexpr std::size_t kBytes = SHA_DIGEST_LENGTH;
    Sha1() { SHA1_Init(&context); }
    void add(ByteView octets) { SHA1_Update(&context, octets.data(), octets.size()); }
    void finish(std::uint8_t *to) { SHA1_Final(to, &context); }
    SHA_CTX context;
};

struct Sha256 {
    static constexpr std::size_t kBytes = SHA256_DIGEST_LENGTH;
    Sha256() { SHA256_Init(&context); }
    void add(ByteView octets) { SHA256_Update(&context, octets.data(), octets.size()); }
    void finish(std::uint8_t *to) { SHA256_Final(to, &context); }
    SHA256_CTX context;
};

/// RFC 2104 section 2; the leftmost `kValueBytes` octets are the value (section 5).
template <class Hash, std::size_t kValueBytes>
class Hmac final : public HmacAuthenticator {
public:
    Hmac(LtpCiphersuite suite, ByteView key, ByteView key_id) : HmacAuthenticator(suite, key_id) {
        std::array<std::uint8_t, kBlockBytes> block{};
        if (key.size() > block.size()) {
            Hash hash;
            hash.add(key);
            hash.finish(block.data());
        } else {
            std::ranges::copy(key, block.begin());
        }
        for (std::uint8_t &octet : block) octet ^= 0x36;
        inner_.add(block);
        for (std::uint8_t &octet : block) octet ^= 0x36 ^ 0x5c;
        outer_.add(block);
        OPENSSL_cleanse(block.data(), block.size());
    }
    ~Hmac() override {
        OPENSSL_cleanse(&inner_, sizeof inner_);
        OPENSSL_cleanse(&outer_, sizeof outer_);
    }
    Hmac(const Hmac &) = delete;
    Hmac &operator=(const Hmac &) = delete;

    [[nodiscard]] std::size_t value_bytes() const override { return kValueBytes; }
    void sign(std::span<const ByteView> segment, MutableBytes value) override {
        FARLINK_INVARIANT(value.size() == kValueBytes);
        std::array<std::uint8_t, Hash::kBytes> digest;
        Hash inner = inner_;
        for (const ByteView piece : segment) inner.add(piece);
        inner.finish(digest.data());
        Hash outer = outer_;
        outer.add(digest);
        outer.finish(digest.data());
        std::copy_n(digest.begin(), kValueBytes, value.begin());
    }

private:
    Hash inner_;  ///< both have hashed the key
    Hash outer_;
};

}  // namespace

Result<std::unique_ptr<Authenticator>, std::string> HmacAuthenticator::make(LtpCiphersuite suite,
                                                                            ByteView key,
                                                                            ByteView key_id) {
    std::unique_ptr<Authenticator> made;
    if (suite == LtpCiphersuite::kHmacSha256)
        made = std::make_unique<Hmac<Sha256, 32>>(suite, key, key_id);
    else
        made = std::make_unique<Hmac<Sha1, 10>>(suite, key, key_id);
    return made;
}

}  // namespace farlink::cla::ltp

#else

namespace farlink::cla::ltp {

Result<std::unique_ptr<Authenticator>, std::string> HmacAuthenticator::make(config::LtpCiphersuite,
                                                                            ByteView, ByteView) {
    return fail(std::string("this build has no OpenSSL and does not support LTP authentication"));
}

}  // namespace farlink::cla::ltp

#endif  // FARLINK_TLS
