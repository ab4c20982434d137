// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/hmac_authenticator.hpp"

#include <gtest/gtest.h>

#include "tests/support/hex.hpp"

namespace farlink::cla::ltp::hmac_authenticator_test {
namespace {

using config::LtpCiphersuite;

#if FARLINK_TLS

/// The value of `data`, in as many pieces as there are octets, as hexadecimal text.
std::string value_of(LtpCiphersuite suite, ByteView key, ByteView data) {
    const auto authenticator = HmacAuthenticator::make(suite, key, {});
    if (!authenticator) return authenticator.error();
    std::vector<ByteView> pieces;
    for (std::size_t i = 0; i < data.size(); ++i) pieces.push_back(data.subspan(i, 1));
    Bytes value((*authenticator)->value_bytes());
    Bytes again(value.size());
    (*authenticator)->sign(pieces, value);
    const ByteView whole[] = {data};
    (*authenticator)->sign(whole, again);
    EXPECT_EQ(value, again) << "pieces do not matter, nor what was signed before";
    return test::to_hex(value);
}

Bytes text(std::string_view from) {
    return {from.begin(), from.end()};
}

// RFC 4231 sections 4.2 to 4.8; section 4.6 truncates, and no ciphersuite here does so.
TEST(HmacAuthenticator, KnownAnswersOfSha256) {
    const auto value = [](const Bytes &key, const Bytes &data) {
        return value_of(LtpCiphersuite::kHmacSha256, key, data);
    };
    Bytes counting(25);
    for (std::size_t i = 0; i < counting.size(); ++i)
        counting[i] = static_cast<std::uint8_t>(i + 1);
    const Bytes endless(131, 0xaa);
    EXPECT_EQ(value(Bytes(20, 0x0b), text("Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(value(text("Jefe"), text("what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(value(Bytes(20, 0xaa), Bytes(50, 0xdd)),
              "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    EXPECT_EQ(value(counting, Bytes(50, 0xcd)),
              "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b");
    EXPECT_EQ(value(endless, text("Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    EXPECT_EQ(value(endless, text("This is a test using a larger than block-size key and a larger "
                                  "than block-size data. The key needs to be hashed before being "
                                  "used by the HMAC algorithm.")),
              "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2");
}

// RFC 2202 section 3, of which RFC 5327 takes the leftmost 80 bits.
TEST(HmacAuthenticator, KnownAnswersOfSha1) {
    for (const LtpCiphersuite suite : {LtpCiphersuite::kHmacSha1_80, LtpCiphersuite::kNull}) {
        EXPECT_EQ(value_of(suite, Bytes(20, 0x0b), text("Hi There")), "b617318655057264e28b");
        EXPECT_EQ(value_of(suite, Bytes(80, 0xaa),
                           text("Test Using Larger Than Block-Size Key - Hash Key First")),
                  "aa4ae5e15272d00e9570");
    }
}

// RFC 5327 section 2.1.
TEST(HmacAuthenticator, TheHeaderNamesCiphersuiteAndKey) {
    const auto header = [](LtpCiphersuite suite, const Bytes &key_id) {
        const auto made = HmacAuthenticator::make(suite, Bytes(32, 1), key_id);
        const ByteView value = (*made)->header_value();
        return Bytes(value.begin(), value.end());
    };
    EXPECT_EQ(header(LtpCiphersuite::kHmacSha1_80, {0x24}), (Bytes{0, 0x24}));
    EXPECT_EQ(header(LtpCiphersuite::kHmacSha256, {}), Bytes{192});
    EXPECT_EQ(header(LtpCiphersuite::kNull, {1, 2}), (Bytes{255, 1, 2}));
}

#else

TEST(HmacAuthenticator, ABuildWithoutOpenSslReturnsAnError) {
    const auto made = HmacAuthenticator::make(LtpCiphersuite::kHmacSha256, Bytes(32, 1), {});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().find("OpenSSL"), std::string::npos);
}

#endif  // FARLINK_TLS

}  // namespace
}  // namespace farlink::cla::ltp::hmac_authenticator_test
