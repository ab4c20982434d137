// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/gcm_self_test.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <algorithm>
#include <array>

#include "cla/tls/gcm/gcm_cipher.hpp"

namespace farlink::cla {
namespace {

using Direction = GcmCipher::Direction;
using Tag = std::array<std::uint8_t, GcmCipher::kTagBytes>;

// Test cases 4 and 16 of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B. The
// key of AES-256 is that of AES-128 twice.
constexpr std::array<std::uint8_t, 16> kHalfKey{0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c,
                                                0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
constexpr std::array<std::uint8_t, 12> kNonce{0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce,
                                              0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
constexpr std::array<std::uint8_t, 20> kAssociated{0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad, 0xbe,
                                                   0xef, 0xfe, 0xed, 0xfa, 0xce, 0xde, 0xad,
                                                   0xbe, 0xef, 0xab, 0xad, 0xda, 0xd2};
constexpr std::array<std::uint8_t, 60> kShort{
    0xd9, 0x31, 0x32, 0x25, 0xf8, 0x84, 0x06, 0xe5, 0xa5, 0x59, 0x09, 0xc5, 0xaf, 0xf5, 0x26,
    0x9a, 0x86, 0xa7, 0xa9, 0x53, 0x15, 0x34, 0xf7, 0xda, 0x2e, 0x4c, 0x30, 0x3d, 0x8a, 0x31,
    0x8a, 0x72, 0x1c, 0x3c, 0x0c, 0x95, 0x95, 0x68, 0x09, 0x53, 0x2f, 0xcf, 0x0e, 0x24, 0x49,
    0xa6, 0xb5, 0x25, 0xb1, 0x6a, 0xed, 0xf5, 0xaa, 0x0d, 0xe6, 0x57, 0xba, 0x63, 0x7b, 0x39};
constexpr Tag kShortTag128{0x5b, 0xc9, 0x4f, 0xbc, 0x32, 0x21, 0xa5, 0xdb,
                           0x94, 0xfa, 0xe9, 0x5a, 0xe7, 0x12, 0x1a, 0x47};
constexpr Tag kShortTag256{0x76, 0xfc, 0x6e, 0xce, 0x0f, 0x4e, 0x17, 0x68,
                           0xcd, 0xdf, 0x88, 0x53, 0xbb, 0x2d, 0x55, 0x1b};
// The same with a text as long as a full record, which takes the ways of many blocks at a time:
// octet i is bits 3 to 10 of i * i. Computed by OpenSSL.
constexpr std::size_t kLongBytes = 16'384;
constexpr Tag kLongTag128{0x98, 0xbf, 0xae, 0x2a, 0x94, 0x85, 0xe1, 0xe0,
                          0x7f, 0x5f, 0xc2, 0x8c, 0x4d, 0xd0, 0xdc, 0xa9};
constexpr Tag kLongTag256{0x0b, 0x64, 0xc6, 0x7e, 0x54, 0xa1, 0xf1, 0x90,
                          0xa1, 0x24, 0xa9, 0xdf, 0x19, 0xcb, 0xa1, 0x7a};

Bytes long_text() {
    Bytes text(kLongBytes);
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(i * i >> 3);
    return text;
}

bool opens(GcmCipher &cipher, ByteView sealed, const Tag &tag, ByteView text) {
    Bytes opened(sealed.size());
    return cipher.start(Direction::kOpen, {}, kNonce) && cipher.associate(kAssociated) &&
           cipher.expect_tag(tag) && cipher.update(sealed, opened.data()) && cipher.finish() &&
           std::ranges::equal(opened, text);
}

/// The tag stands for the sealed text as well: it is computed of it.
bool agrees(const GcmKernels &kernels, ByteView text, const Tag &tag) {
    Bytes key(kernels.key_bytes);
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = kHalfKey[i % kHalfKey.size()];
    GcmCipher cipher(kernels);
    Bytes sealed(text.size());
    const bool made = cipher.start(Direction::kSeal, key, kNonce) &&
                      cipher.associate(kAssociated) && cipher.update(text, sealed.data()) &&
                      cipher.finish() && std::ranges::equal(cipher.tag(), tag);
    if (!made || !opens(cipher, sealed, tag, text)) return false;
    Tag wrong = tag;
    wrong.back() ^= 1U;
    return !opens(cipher, sealed, wrong, text);
}

}  // namespace

bool passes_gcm_self_test(const GcmKernelSet &kernels) {
    const Bytes text = long_text();
    return agrees(kernels.aes128, kShort, kShortTag128) &&
           agrees(kernels.aes256, kShort, kShortTag256) &&
           agrees(kernels.aes128, text, kLongTag128) && agrees(kernels.aes256, text, kLongTag256);
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
