// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_keys.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "cla/factory/link_factory.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::cla::ltp::ltp_keys_test {
namespace {

using std::filesystem::perms;

class LtpKeysTest : public testing::Test {
protected:
    std::string file(const std::string &name, const std::string &text,
                     perms mode = perms::owner_read) {
        const std::filesystem::path path = folder.path() / name;
        std::ofstream(path) << text;
        std::filesystem::permissions(path, mode);
        return path.string();
    }
    static config::LtpAuthenticationConfig by(const std::string &file) {
        return {true, config::LtpCiphersuite::kHmacSha256, file, ""};
    }
    static std::string error_of(const config::LtpAuthenticationConfig &authentication) {
        config::OutductConfig config;
        config.url.scheme = "ltp";
        config.ltp.authentication = authentication;
        const auto keys = LtpKeys::make(config);
        EXPECT_EQ(check_link(config).has_value(), !keys.has_value());
        return keys ? "" : keys.error();
    }

    test::TempFolder folder;
    const std::string key = std::string(64, 'a');
};

TEST_F(LtpKeysTest, WithoutConfigurationThereIsNone) {
    const auto keys = LtpKeys::make(config::OutductConfig{});
    ASSERT_TRUE(keys);
    EXPECT_EQ(keys->own(), nullptr);
    EXPECT_EQ(keys->of(EngineId{7}, "10.0.0.1"), nullptr);
}

#if FARLINK_TLS

TEST_F(LtpKeysTest, ABadKeyFileIsAnError) {
    EXPECT_EQ(error_of(by(file("good", key + "\n"))), "");
    EXPECT_EQ(error_of(by(file("spaced", "AAAA " + key.substr(8) + "\n 00 11 \r\n"))), "");
    const auto expect = [&](const std::string &name, const std::string &reason) {
        EXPECT_EQ(error_of(by(name)), "LTP authentication: " + name + ": " + reason);
    };
    expect("/nowhere/key", "No such file or directory");
    expect(folder.path().string(), "not a regular file");
    expect(file("short", key.substr(2)), "key has 31 octets; expected at least 32");
    expect(file("empty", ""), "key has 0 octets; expected at least 32");
    expect(file("odd", key + "a"), "expected a key in hexadecimal digits");
    expect(file("text", "-----BEGIN KEY-----"), "expected a key in hexadecimal digits");
    expect(file("endless", std::string(5000, 'a')), "file too large; expected at most 4096 bytes");
}

TEST_F(LtpKeysTest, AWorldReadableKeyIsAWarning) {
    config::OutductConfig config;
    config.ltp.authentication = by(file("open", key, perms::owner_read | perms::others_read));
    const auto open = LtpKeys::make(config);
    ASSERT_TRUE(open);
    ASSERT_EQ(open->warnings().size(), 1U);
    EXPECT_NE(open->warnings()[0].find(config.ltp.authentication.key_file), std::string::npos);
    config.ltp.authentication = by(file("closed", key, perms::owner_read | perms::group_read));
    EXPECT_TRUE(LtpKeys::make(config)->warnings().empty());
}

TEST_F(LtpKeysTest, EachNeighbourMayHaveItsOwnKey) {
    config::InductConfig config;
    config.ltp.authentication = by(file("all", key));
    config.neighbours = {{NodeNumber{7}, "10.0.0.7", "", by(file("seven", std::string(64, '7')))},
                         {NodeNumber{8}, "10.0.0.8", "", {}},
                         {NodeNumber{0}, "10.2.0.0/16", "", by(file("net", std::string(64, '2')))}};
    const auto keys = LtpKeys::make(config);
    ASSERT_TRUE(keys);
    Authenticator *const seven = keys->of(EngineId{7}, "10.0.0.7");
    ASSERT_NE(seven, nullptr);
    EXPECT_NE(seven, keys->own());
    EXPECT_EQ(keys->of(EngineId{7}, "10.9.0.1"), seven) << "at any source address";
    EXPECT_EQ(keys->of(EngineId{7}, "10.2.0.1"), seven);
    EXPECT_EQ(keys->of(EngineId{8}, "10.0.0.8"), keys->own());
    Authenticator *const net = keys->of(EngineId{9}, "10.2.3.4");
    EXPECT_NE(net, keys->own());
    EXPECT_NE(net, seven);
    EXPECT_EQ(keys->of(EngineId{9}, "10.3.3.4"), keys->own());
    config.neighbours[0].ltp_authentication.key_file = "/nowhere/key";
    EXPECT_FALSE(LtpKeys::make(config));
}

TEST_F(LtpKeysTest, TheNullCiphersuiteNeedsNoFile) {
    EXPECT_EQ(error_of({true, config::LtpCiphersuite::kNull, "", "01"}), "");
    EXPECT_NE(error_of({true, config::LtpCiphersuite::kHmacSha1_80, "", ""}), "");
}

#else

TEST_F(LtpKeysTest, ABuildWithoutOpenSslRefuses) {
    EXPECT_NE(error_of(by(file("good", key))).find("no OpenSSL"), std::string::npos);
    EXPECT_NE(error_of({true, config::LtpCiphersuite::kNull, "", ""}).find("no OpenSSL"),
              std::string::npos);
}

#endif  // FARLINK_TLS

}  // namespace
}  // namespace farlink::cla::ltp::ltp_keys_test
